"""What users see and answer: pages of parts with views, requests and forms, lists with keys."""
