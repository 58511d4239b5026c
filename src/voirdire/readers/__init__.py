"""voirdire.readers"""
