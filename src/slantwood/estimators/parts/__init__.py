"""Forests of rows that come in parts, of which no process need hold all: on clusters, and on disks."""
