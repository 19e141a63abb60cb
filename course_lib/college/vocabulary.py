"""Words that generated colleges are made of."""

from __future__ import annotations

FIRST_NAMES = (
    "Aadhya", "Aditi", "Aditya", "Akash", "Amit", "Amrita", "Ananya", "Anil", "Anjali", "Arjun", "Asha",
    "Bhavna", "Chetan", "Deepa", "Deepak", "Dev", "Divya", "Farhan", "Fatima", "Gaurav", "Gauri",
    "Harish", "Harpreet", "Imran", "Isha", "Ishaan", "Jaya", "Joseph", "Kabir", "Kavya", "Kiran",
    "Lakshmi", "Leela", "Manish", "Meera", "Mohan", "Nandini", "Neha", "Nikhil", "Nisha", "Omkar",
    "Parvati", "Pooja", "Pranav", "Priya", "Rakesh", "Rani", "Ravi", "Rekha", "Ritu", "Rohit", "Sameer",
    "Sana", "Sanjay", "Shreya", "Simran", "Suresh", "Tanvi", "Tara", "Uma", "Varun", "Vidya", "Vijay",
    "Vikram", "Yash", "Zara", "Zoya",
)  # fmt: skip

SURNAMES = (
    "Agarwal", "Ahmed", "Banerjee", "Bhat", "Bose", "Chatterjee", "Chauhan", "Das", "Desai", "Deshpande",
    "D'Souza", "Dutta", "Fernandes", "Gandhi", "Ghosh", "Gill", "Gupta", "Iyer", "Jain", "Jha", "Joshi",
    "Kapoor", "Kaur", "Khan", "Kulkarni", "Kumar", "Malhotra", "Menon", "Mishra", "Mukherjee", "Naidu",
    "Nair", "Pandey", "Patel", "Patil", "Pillai", "Prasad", "Rao", "Reddy", "Roy", "Saxena", "Sen",
    "Shah", "Sharma", "Shetty", "Singh", "Sinha", "Thomas", "Tiwari", "Varma", "Verma", "Yadav",
)  # fmt: skip

BRANCHES = ("CSE", "IT", "ECE", "EEE", "Mechanical", "Civil")

CLUB_TOPICS = (
    "Chess", "Music", "Drama", "Photography", "Quiz", "Literary", "Dance", "Film", "Astronomy",
    "Cricket", "Yoga", "Painting", "Gaming", "Startup", "Trekking", "Cooking", "Cycling", "Poetry",
    "Radio", "Gardening",
)  # fmt: skip

MORE_SKILLS = (
    "Java", "C++", "Go", "Rust", "TypeScript", "Git", "Linux", "Kubernetes", "Statistics",
    "Data Visualization", "Graph Databases", "Testing", "Technical Writing", "Figma", "Cloud Computing",
    "Cybersecurity", "Kotlin", "R", "Public Speaking", "Spark",
)  # fmt: skip

PROJECT_PLACES = (
    "Hostel", "Canteen", "Library", "Campus", "Alumni", "Placement", "Exam", "Sports", "Bus", "Lab",
    "Workshop", "Festival",
)  # fmt: skip
PROJECT_THINGS = (
    "Booking System", "Chatbot", "Dashboard", "Planner", "Tracker", "Marketplace", "Recommender",
    "Archive", "Map", "Survey", "Inventory", "Scheduler",
)  # fmt: skip

MORE_SUBJECTS = (
    "Compiler Design", "Computer Graphics", "Digital Logic", "Discrete Mathematics",
    "Distributed Systems", "Software Engineering", "Theory of Computation", "Computer Architecture",
    "Information Retrieval", "Cryptography", "Human-Computer Interaction", "Embedded Systems",
    "Numerical Methods", "Probability", "Linear Algebra", "Signal Processing", "Computer Vision",
    "Cloud Architecture", "Data Mining", "Ethics",
)  # fmt: skip

CONCEPT_PARTS = (
    "Basics", "Notation", "Core Model", "Classic Algorithms", "Correctness", "Cost", "Case Studies",
    "Limits",
)  # fmt: skip
"""What a made-up subject covers, from the first lecture to the last."""

ROLES_IN_CLUB = ("President", "Secretary", "Member")
ROLES_IN_PROJECT = ("Lead", "Developer", "Tester")
