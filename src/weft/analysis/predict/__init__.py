"""How long a measured job would take elsewhere: its work, a machine's capacity, and queues between them."""
