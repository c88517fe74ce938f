"""The words of the booking site."""

from __future__ import annotations

from gymsite.arena.sites.labels import PICTURES, Table, wordings

LABELS: Table = {
    **PICTURES,
    "nav_stays": ("Stays in {}", "All stays", "Accommodation in {}", "Look around {}"),
    "nav_trips": ("My trips", "Trips", "Your reservations", "My plans"),
    "home": ("Back to the first page", "Home", "Return to the first page", "Take me home"),
    # What has just been done.
    "told_booked": (
        "Your stay is booked. Keep the confirmation code.", "Booked. Keep the code.",
        "The reservation is confirmed. Please retain the confirmation code.",
        "It is yours! Keep the confirmation code.",
    ),
    "told_changed": (
        "The dates of this trip are changed.", "Dates changed.",
        "The dates of this reservation have been amended.", "Done, your trip has moved.",
    ),
    "told_cancelled": (
        "This trip is cancelled.", "Trip cancelled.", "This reservation has been cancelled.",
        "Done, it is called off.",
    ),
    # The headings of pages and of their parts.
    "home_title": ("Stay in {}", "{}", "Accommodation in {}", "Come and stay in {}"),
    "results_title": ("Stays in {}", "Stays: {}", "Accommodation found in {}", "What there is in {}"),
    "recent": ("Your last searches", "Last searches", "Most recent searches", "You looked for"),
    "reviews_of": ("Reviews of {}", "Reviews: {}", "Reviews of {} by guests", "What guests tell of {}"),
    "checkout_title": ("Confirm your stay", "Confirm", "Confirmation of the stay", "Almost yours"),
    "refused_title": (
        "This stay cannot be booked", "Cannot be booked", "This stay cannot be reserved",
        "That does not work",
    ),
    "booked_title": ("Your stay is booked", "Booked", "The stay has been reserved", "It is all yours"),
    "trip": ("Trip {}", "Trip {}", "Reservation {}", "Your trip {}"),
    "booked": ("Coming up", "Next", "Forthcoming", "Soon"),
    "past": ("Past", "Past", "Completed", "You were there"),
    "cancelled": ("Cancelled", "Cancelled", "Cancelled", "Called off"),
    "change_title": (
        "Change the dates of this trip", "Change dates", "Amendment of the dates",
        "When would you rather come?",
    ),
    "cancel_title": ("Cancel this trip", "Cancel", "Cancellation", "Call this trip off?"),
    "past_title": (
        "This trip is over", "Trip over", "This reservation has been completed",
        "You have been there already",
    ),
    "cancelled_title": (
        "This trip is cancelled", "Trip cancelled", "This reservation has been cancelled",
        "This trip was called off",
    ),
    "new_stay": ("New stay", "New", "Amended stay", "Then it would be"),
    # Searching.
    "find": ("Find a stay", "Find", "Search form", "Find your next stay"),
    "open_find": ("Change the search", "New search", "Open the search form", "Look for something else"),
    "where": ("Where", "Area", "Part of town", "Where to?"),
    "anywhere": ("All of {}", "Any", "The whole of {}", "Anywhere in {}"),
    "arrival": ("Arrival", "From", "Date of arrival", "When do you come?"),
    "departure": ("Departure", "Until", "Date of departure", "When do you leave?"),
    "pick": ("Calendar", "Pick", "Calendar", "Pick"),
    "pick_arrival": ("Calendar of arrival", "Pick arrival", "Calendar for arrival", "Pick when you come"),
    "pick_departure": (
        "Calendar of departure", "Pick departure", "Calendar for departure", "Pick when you leave",
    ),
    "earlier": ("Earlier", "Before", "Preceding month", "A month back"),
    "later": ("Later", "After", "Following month", "A month on"),
    "guests": ("Guests", "Guests", "Number of guests", "How many are you?"),
    "house_name": ("Name of the house", "House", "Name of the establishment", "Do you know its name?"),
    "search": ("Search", "Go", "Search for accommodation", "Show me stays"),
    # Narrowing.
    "filters": ("Filters", "Filters", "Restrictions", "Narrow it down"),
    "open_filters": ("Filter and sort", "Filter", "Restrict and order the results", "Help me choose"),
    "sort": ("Sort by", "Order", "Order of the results", "What comes first?"),
    "rating": ("Guests' rating", "Rating", "Rating by guests", "Liked by guests"),
    "price": ("Price of a night", "Price/night", "Price per night", "What a night may cost"),
    "kind": ("Kind of house", "Kind", "Type of establishment", "What kind of place?"),
    "neighbourhood": ("Neighbourhood", "Areas", "Neighbourhoods", "Which corners of town?"),
    "amenities": ("Amenities", "Amenities", "Amenities", "What it should have"),
    "any": ("Any", "Any", "No preference", "All the same to me"),
    "apply": ("Apply filters", "Apply", "Apply the restrictions", "Show what fits"),
    "clear": ("Clear filters", "Reset", "Remove all restrictions", "Start afresh"),
    "previous": ("Previous page", "Back", "Preceding page", "The page before"),
    "next": ("Next page", "Next", "Following page", "The next few"),
    "more": ("Load more stays", "More", "Display further results", "Show me more"),
    "close": ("Close", "Close", "Close", "Never mind"),
    # A house.
    "gallery": ("Pictures", "Pictures", "Pictures", "Have a look"),
    "about": ("About this house", "About", "Description", "Meet the house"),
    "dates": ("Your dates", "Dates", "Dates of the stay", "When will it be?"),
    "open_dates": ("Choose dates", "Dates", "Select the dates of the stay", "When will it be?"),
    "show_prices": ("Show prices", "Prices", "Display the prices", "What would it cost?"),
    "rooms": ("Rooms", "Rooms", "Rooms available", "Where you would sleep"),
    "calendar": ("Calendar and prices", "Nights", "Availability and prices", "Which nights are free?"),
    "calendar_of": (
        "Calendar and prices of {}", "Nights of {}", "Availability and prices of {}",
        "Which nights are free? {}",
    ),
    "months": ("Months", "Months", "Months", "Months"),
    "book": ("Book", "Book", "Reserve", "Take it"),
    "book_room": ("Book {}", "Book {}", "Reserve {}", "Take it: {}"),
    "show_all": (
        "Show all amenities of house and rooms", "All amenities", "Display the complete list of amenities",
        "See everything they have",
    ),
    "shared": (
        "The house, shared by all guests", "House (shared)", "The establishment, shared by all guests",
        "In the house, for everyone",
    ),
    "fees": ("Fees and taxes", "Fees, taxes", "Fees and taxes", "What comes on top"),
    "rules": ("House rules", "Rules", "Rules of the establishment", "Good to know"),
    "policy": ("Cancelling and changing", "Cancel, change", "Cancellation and amendment", "If plans change"),
    "guests_say": ("What guests say", "Reviews", "Reviews by guests", "What guests tell"),
    "read_all": ("Read all reviews", "All reviews", "View every review", "Read what everybody says"),
    "words": ("Words in a review", "Words", "Words contained in a review", "Looking for a word?"),
    "search_reviews": ("Search reviews", "Find", "Search the reviews", "Find it"),
    "newer": ("Newer reviews", "Newer", "More recent reviews", "The newer ones"),
    "older": ("Older reviews", "Older", "Earlier reviews", "The older ones"),
    "more_reviews": ("Load more reviews", "More", "Display further reviews", "Show me more"),
    "back_to": ("Back to {}", "To {}", "Return to {}", "Back to {}"),
    # Booking.
    "details": ("Your details", "Details", "Details of the guest", "About you"),
    "full_name": ("Full name", "Name", "First name and surname", "What is your name?"),
    "email": ("E-mail", "E-mail", "E-mail address", "Where can they write to you?"),
    "arrival_time": (
        "Time of arrival", "Arrival time", "Expected time of arrival", "What time will you be here?",
    ),
    "wishes": (
        "Wishes to the house (optional)", "Wishes (optional)", "Requests to the establishment (optional)",
        "Anything they should know? (optional)",
    ),
    "agree": (
        "I agree to the house rules and to the terms of cancelling", "Rules and terms: agreed",
        "I accept the rules of the establishment and the terms of cancellation",
        "The rules and the terms are fine with me",
    ),
    "book_stay": ("Book this stay", "Book now", "Confirm the reservation", "Yes, book it"),
    "your_stay": ("Your stay", "Stay", "Summary of the stay", "Your stay at a glance"),
    "total": ("Total price", "Total", "Total price of the stay", "All together"),
    "code": ("Confirmation code", "Code", "Confirmation code", "Your confirmation code"),
    "all_trips": ("See all my trips", "All trips", "View all reservations", "See all my plans"),
    # Trips.
    "see_trip": ("See this trip", "This trip", "View this reservation", "Look at it again"),
    "change": ("Change dates", "Change", "Amend the dates", "Move it"),
    "change_of": ("Change dates of {}", "Change {}", "Amend the dates of {}", "Move it: {}"),
    "cancel": ("Cancel", "Cancel", "Cancel the reservation", "Call it off"),
    "cancel_of": ("Cancel {}", "Cancel {}", "Cancel the reservation {}", "Call it off: {}"),
    "cancel_trip": ("Cancel trip", "Cancel", "Cancel this reservation", "Call it off"),
    "cancel_now": ("Cancel this trip", "Cancel trip", "Confirm the cancellation", "Yes, call it off"),
    "keep": ("Keep it", "Keep", "Retain the reservation", "No, we are going"),
    "about_house": ("About the house", "House", "Information on the establishment", "See the house again"),
    "new_dates": ("New dates", "New dates", "New dates of the stay", "When instead?"),
    "show_new_price": ("Show the new price", "Price", "Display the new price", "What would that cost?"),
    "new_total": ("New total price", "New total", "New total price of the stay", "All together, then"),
    "change_fee": (
        "Fee for the change, paid besides", "Fee for the change",
        "Fee for the amendment, payable in addition", "Moving it costs, besides",
    ),
    "change_now": ("Change to these dates", "Change dates", "Confirm the new dates", "Yes, move it"),
    "cancel_fee": (
        "Cancelling today costs", "Fee today", "The fee for cancelling today amounts to",
        "Calling it off today costs",
    ),
    # What lies over a page.
    "cookies": ("Accept cookies", "OK", "Accept the use of cookies", "Fine with me"),
    "newsletter": ("No, thank you", "No", "Decline the newsletter", "Maybe another time"),
    "sign_up": ("Go on without signing up", "Skip", "Continue without an account", "I just look around"),
    "prices": ("All right", "OK", "Acknowledge", "Good to know"),
    "session": ("Stay signed in", "Stay", "Remain signed in", "I am still here"),
}  # fmt: skip

labels_of = wordings(LABELS)
