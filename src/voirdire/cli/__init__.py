"""voirdire.cli"""
