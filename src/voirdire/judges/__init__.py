"""Judges: what they are asked, how, by which client, and how every reply is kept."""
