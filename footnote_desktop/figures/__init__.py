"""Exact figures: money per currency, and the one place that formats amounts, counts and dates for people."""
