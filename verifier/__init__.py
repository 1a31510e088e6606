"""The independent audit of artifacts and PTX. Imports no other package of this project and no Z3."""
