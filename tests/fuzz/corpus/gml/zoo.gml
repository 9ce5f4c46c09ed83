# as the Topology Zoo writes it
Creator "nobody"
graph [
  label "Drei"
  directed 0
  node [
    id 0
    label "Ulm"
    Latitude 48.4
    graphics [ x -1.5e3 center [ y 2 ] ]
  ]
  node [ id 1 label "Bonn" ]
  node [ id -7 ]
  edge [ source 0 target 1 LinkLabel "OC-48 [ring]" ]
  edge [ source 1 target 0 ]
  edge [ target -7 source 1 ]
]
