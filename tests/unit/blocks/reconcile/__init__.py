"""Reconciling invoices with payments."""
