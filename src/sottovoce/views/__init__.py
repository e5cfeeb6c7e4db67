"""What people look at: charts, the report page, the explorer, the survey page."""
