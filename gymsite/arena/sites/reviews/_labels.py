"""The words of the shop. On one page no two names of a wording are the same."""

from __future__ import annotations

from gymsite.arena.sites.labels import PICTURES, Table, wordings

LABELS: Table = {
    **PICTURES,
    # Every page.
    "products": ("Products", "Shop", "Product range", "Browse the shop"),
    "home": ("Back to all products", "Home", "Return to the product range", "Take me to the shop"),
    # The front and a product.
    "all_products": ("All products", "All", "Complete range", "Everything"),
    "categories": ("Categories", "Kinds", "Product categories", "What are you after?"),
    "read_reviews": ("Read {reviews}", "{reviews}", "View all {reviews}", "See what {reviews} say"),
    "see_questions": ("See {questions}", "{questions}", "View all {questions}", "Browse {questions}"),
    # Headings.
    "reviews_of": ("Reviews of the {}", "Reviews: {}", "Customer reviews of the {}", "All about the {}"),
    "questions_of": (
        "Questions about the {}",
        "Questions: {}",
        "Questions concerning the {}",
        "Asked about the {}",
    ),
    "service": ("Delivery and returns", "Delivery", "Delivery and return terms", "There and back again"),
    "house": ("About the shop", "Who we are", "Information on the shop", "Hello from us"),
    "customers": (
        "What customers say and ask",
        "Customers",
        "Customer reviews and questions",
        "What others think",
    ),
    "facts": ("Facts", "Data", "Product specifications", "Good to know"),
    "rules": ("How reviews get here", "About reviews", "Review policy", "Who writes all this?"),
    # Search and filters.
    "filters": (
        "Search and filter reviews",
        "Filter reviews",
        "Search and filter options",
        "Find your way through the reviews",
    ),
    "search": ("Search in reviews", "Search", "Search term", "Looking for a word?"),
    "stars": ("Stars", "Rating", "Number of stars", "How many stars?"),
    "colour": ("Colour", "Variant", "Colour variant", "Which colour?"),
    "size": ("Size", "Fit", "Size variant", "Which size?"),
    "badge": ("Verified badge", "Badge", "Verification badge", "Verified or not?"),
    "month": ("Month", "Posted", "Month of publication", "From which month?"),
    "sort": ("Order", "Sort", "Sort order", "Which first?"),
    "any": ("Any", "No filter", "No restriction", "I don't mind"),
    "show": ("Show reviews", "Apply", "Apply selection", "Let's see"),
    "close": ("Close", "Done", "Close this window", "Never mind"),
    "clear": ("Clear search and filters", "Clear", "Reset selection", "Start over"),
    # The list.
    "previous": ("Previous page", "Back", "Previous page of reviews", "A page back"),
    "next": ("Next page", "Next", "Next page of reviews", "Turn the page"),
    "load": ("Load more reviews", "Load more", "Load further reviews", "Show me some more"),
    # One review.
    "more": ("Read more", "More", "Read the complete review", "Keep reading"),
    "reply": ("Show the seller's reply", "Reply", "View the reply of the seller", "And the seller says?"),
    "original": ("Show original", "Original", "View the original text", "In their own words"),
    "translation": ("Show translation", "Translation", "View the translation", "Back to English"),
    "helpful": ("Helpful", "Useful", "Mark as helpful", "This helped me"),
    "withdraw": ("Take back my vote", "Undo vote", "Withdraw my vote", "Oh, it didn't help"),
    # What lies over a page.
    "cookies": ("All right", "OK", "Accept the cookies", "Fine with me"),
    "newsletter": ("No, thank you", "No", "Decline the letter", "Maybe another time"),
    "sign_up": ("Continue without an account", "Skip", "Proceed without an account", "I just look around"),
    "prices": ("Good", "Noted", "Acknowledge", "How nice"),
    "session": ("Stay in the shop", "Stay", "Continue the visit", "I am still here"),
}

labels_of = wordings(LABELS)
