"""What can be read off a log beside what runs it: one file per question, each a pure fold."""
