from flowcheck.analyzer.cli import main

main()
