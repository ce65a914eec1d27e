from sanbo.cli.main import main

main()
