"""Syntax trees and what is read from them: fragments, splices, import blocks."""
