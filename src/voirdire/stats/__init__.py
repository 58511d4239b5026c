"""voirdire.stats"""
