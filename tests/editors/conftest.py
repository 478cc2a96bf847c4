"""What the tests of real editors share. They are run by name (`make test-editors`); the default run does not collect them."""
