"""voirdire.checks"""
