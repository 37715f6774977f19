# What models.pyi.j2 generates: the classes of all models.
