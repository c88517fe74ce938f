"""Reviews in other languages: each sentence and its translation, with the same groups in the same order.

Drawing both from one stream therefore picks the same options. ``term`` sentences begin with the word itself.
"""

from __future__ import annotations

from functools import lru_cache

from tasks_app.worlds.reviews import grammar
from tasks_app.worlds.reviews.grammar import Pattern

Pair = tuple[str, str]

NAMES = {"de": "German", "es": "Spanish", "fr": "French", "it": "Italian"}

PAIRS: dict[str, dict[str, tuple[Pair, ...]]] = {
    "de": {
        "+": (
            (
                "[Sehr|Rundum|Wirklich] zufrieden, [gern wieder|jederzeit wieder].",
                "[Very|Entirely|Really] satisfied, [gladly again|again any time].",
            ),
            (
                "[Täglich|Fast täglich] seit [zwei|drei|fünf] Monaten benutzt, [alles gut|keine Mängel].",
                "In [daily|almost daily] use for [two|three|five] months, [all good|no faults].",
            ),
            (
                "Kam [schnell|pünktlich] an und war [gut|sparsam] verpackt.",
                "Arrived [quickly|on time] and was packed [well|sparingly].",
            ),
            (
                "Preis und Leistung [stimmen|passen], [klare Empfehlung|alles bestens].",
                "Price and performance are [right|fitting], [a clear recommendation|all is well].",
            ),
            (
                "Meine [Frau|Schwester|Nachbarin] [will auch eins|hat gleich bestellt].",
                "My [wife|sister|neighbour] [wants one too|ordered one at once].",
            ),
        ),
        "~": (
            (
                "Ganz [in Ordnung|ordentlich], [mehr nicht|aber nicht perfekt].",
                "Quite [all right|decent], [no more|but not perfect].",
            ),
            (
                "Die Farbe ist [dunkler|heller] als [gedacht|auf dem Bild].",
                "The colour is [darker|lighter] than [I thought|in the picture].",
            ),
            (
                "Für [den Preis|das Geld] [ist alles bestens|geht es].",
                "For [the price|the money] [one cannot complain|it will do].",
            ),
            (
                "[Mal|Wir werden] sehen, wie lange es [hält|gut geht].",
                "[Let us|We will] see how long it [lasts|goes well].",
            ),
        ),
        "-": (
            (
                "[Leider|Absolut] enttäuschend, [nie wieder|geht zurück].",
                "[Sadly|Absolutely] disappointing, [never again|it goes back].",
            ),
            (
                "Nach [zwei|drei|vier] Wochen [kaputt|nicht mehr zu gebrauchen].",
                "After [two|three|four] weeks [broken|no longer usable].",
            ),
            (
                "Der Kundendienst [antwortet nicht|hilft nicht weiter].",
                "Customer service [does not answer|is no help].",
            ),
            (
                "[Billig|Schlecht] verarbeitet, [Finger weg|schade ums Geld].",
                "[Cheaply|Badly] made, [hands off|a pity about the money].",
            ),
            (
                "Hatte [mehr|Besseres] erwartet für [diesen Preis|so viel Geld].",
                "Had expected [more|better] for [this price|so much money].",
            ),
        ),
        "term+": (
            ("{x}: [sehr gut|einwandfrei|gut gebaut].", "{x}: [very good|flawless|well built]."),
            (
                "{x} [kein Thema|kein Problem], [alles gut|bin zufrieden].",
                "{x} [no issue|no problem], [all is well|I am satisfied].",
            ),
        ),
        "term-": (
            ("{x}: [sehr schwach|mangelhaft|eine Zumutung].", "{x}: [very weak|faulty|an imposition]."),
            (
                "{x} [schon nach einer Woche|nach zwei Wochen|vom ersten Tag an] ein Ärgernis.",
                "{x} an annoyance [after only a week|after two weeks|from the first day].",
            ),
        ),
    },
    "es": {
        "+": (
            (
                "[Muy|Totalmente] contento, [lo recomiendo|repetiré].",
                "[Very|Completely] happy, [I recommend it|I will buy again].",
            ),
            (
                "Lo uso [cada día|cada semana] desde hace [dos|tres|seis] meses y [perfecto|sin quejas].",
                "Used [every day|every week] for [two|three|six] months and [perfect|no complaints].",
            ),
            (
                "Llegó [rápido|a tiempo] y [bien protegido|sin un rasguño].",
                "It came [fast|on time] and [well protected|without a scratch].",
            ),
            ("[Buena|Excelente] compra por lo que cuesta.", "[Good|Excellent] value for money."),
            (
                "A mi [madre|hermano|hija] le [encanta|gusta mucho].",
                "My [mother|brother|daughter] [loves it|likes it a lot].",
            ),
        ),
        "~": (
            (
                "No está mal, [pero tampoco es perfecto|sin más].",
                "Not bad, [but not perfect either|nothing more].",
            ),
            (
                "El color es [más claro|más oscuro] que en [la foto|la web].",
                "The colour is [lighter|darker] than in [the photo|the listing].",
            ),
            (
                "Por [el precio|lo que cuesta] [está bien|no se puede pedir más].",
                "For [the price|what it costs] [it is fine|one cannot ask for more].",
            ),
            ("Ya veremos [si dura|cuánto aguanta].", "We shall see [whether it lasts|how long it holds]."),
        ),
        "-": (
            (
                "[Muy|Bastante] decepcionado, [lo devuelvo|no lo compren].",
                "[Very|Rather] disappointed, [I am returning it|do not buy it].",
            ),
            (
                "Se rompió a [los dos días|la semana|las tres semanas].",
                "It broke after [two days|a week|three weeks].",
            ),
            (
                "El servicio al cliente [no responde|es pésimo].",
                "Customer service [does not answer|is terrible].",
            ),
            (
                "[Mal|Pésimamente] hecho, [dinero perdido|una pena].",
                "[Bad|Terrible] quality, [money lost|a pity].",
            ),
            (
                "Esperaba [más|algo mejor] por [este precio|este dinero].",
                "I expected [more|something better] for [this price|this money].",
            ),
        ),
        "term+": (
            ("{x}: [muy bien|perfecto|bien hecho].", "{x}: [very good|spotless|of quality]."),
            (
                "{x} [sin problemas|sin queja], [todo bien|de momento].",
                "{x} [without problems|no complaint], [all is well|for now].",
            ),
        ),
        "term-": (
            ("{x}: [muy mal|una decepción|lo peor].", "{x}: [very bad|a disappointment|the worst thing]."),
            (
                "{x} [desde el primer día|a la semana|a los dos meses] y nadie responde.",
                "{x} [from the first day|after a week|after two months] and nobody answers.",
            ),
        ),
    },
    "fr": {
        "+": (
            (
                "[Très|Entièrement] satisfait, [je recommande|à racheter].",
                "[Very|Wholly] satisfied, [I recommend it|will buy again].",
            ),
            (
                "Utilisé [chaque jour|chaque semaine] depuis [deux|six] mois, [rien à redire|parfait].",
                "Used [every day|every week] for [two|six] months, [nothing to criticise|still perfect].",
            ),
            (
                "Livraison [rapide|soignée], [colis intact|rien à signaler].",
                "[Fast|Careful] delivery, [parcel intact|nothing to report].",
            ),
            ("[Bon|Excellent] rapport qualité-prix.", "[Good|Excellent] quality for the price."),
            (
                "Mon [mari|voisin|fils] [veut le même|me l'emprunte].",
                "My [husband|neighbour|son] [wants the same|borrows it].",
            ),
        ),
        "~": (
            ("Pas mal, [sans plus|mais des défauts].", "Not bad, [no more|but with faults]."),
            (
                "La couleur est plus [claire|foncée] que [prévu|sur la photo].",
                "The colour is [lighter|darker] than [expected|in the photo].",
            ),
            (
                "[Pour le prix|À ce tarif], [c'est correct|ça passe].",
                "[For the price|At this rate], [it is decent|it will do].",
            ),
            ("À voir [dans le temps|après l'hiver].", "We will see [over time|after the winter]."),
        ),
        "-": (
            (
                "[Très|Franchement] déçu, [je le renvoie|à éviter].",
                "[Very|Frankly] disappointed, [I am sending it back|to be avoided].",
            ),
            ("Cassé au bout de [deux|trois|cinq] semaines.", "Broken after [two|three|five] weeks."),
            (
                "Le service client [ne répond pas|se moque de nous].",
                "Customer service [does not reply|makes fun of us].",
            ),
            (
                "Qualité [médiocre|lamentable], [argent perdu|quel dommage].",
                "[Mediocre|Woeful] quality, [money lost|what a shame].",
            ),
            (
                "J'attendais [mieux|autre chose] à [ce prix|ce niveau].",
                "I expected [better|something else] at [this price|this level].",
            ),
        ),
        "term+": (
            ("{x} : [très bien|parfait|solide].", "{x}: [very good|perfect|solid]."),
            (
                "{x}, [aucun souci|rien à dire], [tout va bien|bravo].",
                "{x}, [no trouble|nothing to say], [all is well|bravo].",
            ),
        ),
        "term-": (
            ("{x} : [très décevant|mauvais|à revoir].", "{x}: [very disappointing|bad|needs rework]."),
            (
                "{x}, [dès le premier jour|après une semaine|après un mois], une plaie.",
                "{x}, [from the first day|after one week|after one month], a pain.",
            ),
        ),
    },
    "it": {
        "+": (
            (
                "[Molto|Davvero] soddisfatta, [lo consiglio|da ricomprare].",
                "[Very|Truly] satisfied, [I recommend it|worth buying again].",
            ),
            (
                "Lo uso [tutti i giorni|spesso] da [due|tre|otto] mesi e [nessun problema|va benissimo].",
                "Used [every day|often] for [two|three|eight] months and [no problem|it does very well].",
            ),
            (
                "Arrivato [subito|in anticipo], [imballo perfetto|tutto integro].",
                "Arrived [at once|early], [perfect packaging|all intact].",
            ),
            ("[Ottimo|Buon] rapporto qualità-prezzo.", "[Excellent|Good] balance of quality and price."),
            (
                "Mia [moglie|figlia|zia] ne è [entusiasta|innamorata].",
                "My [wife|daughter|aunt] is [enthusiastic|in love with it].",
            ),
        ),
        "~": (
            ("Discreto, [niente di più|con qualche difetto].", "Decent, [nothing more|with a few faults]."),
            (
                "Il colore è più [chiaro|scuro] che [in foto|sul sito].",
                "The colour is [lighter|darker] than [in the photo|in the listing].",
            ),
            (
                "Per [il prezzo|quello che costa] [va bene|ci può stare].",
                "For [the price|what it costs] [it is fine|it is acceptable].",
            ),
            ("Vedremo [quanto dura|tra un anno].", "We will see [how long it lasts|in a year]."),
        ),
        "-": (
            (
                "[Molto|Proprio] deluso, [reso subito|non compratelo].",
                "[Very|Quite] disappointed, [returned at once|do not buy it].",
            ),
            ("Rotto dopo [due|tre|sei] settimane.", "Broken after [two|three|six] weeks."),
            ("L'assistenza [non risponde|è inesistente].", "Support [does not answer|does not exist]."),
            (
                "Materiali [poveri|pessimi], [soldi buttati|peccato].",
                "[Inferior|Terrible] materials, [money thrown away|a pity].",
            ),
            (
                "Mi aspettavo [di più|altro] a [questo prezzo|questa cifra].",
                "I expected [more|something else] at [this price|this sum].",
            ),
        ),
        "term+": (
            ("{x}: [molto bene|perfetto|robusto].", "{x}: [very good|perfect|robust]."),
            (
                "{x}, [nessun difetto|niente da dire], [tutto ok|per ora].",
                "{x}, [no fault|nothing to say], [all fine|for now].",
            ),
        ),
        "term-": (
            ("{x}: [pessimo|scarso|da rifare].", "{x}: [terrible|disappointing|to be done again]."),
            (
                "{x}, [dal primo giorno|dopo una settimana|dopo un mese], che rabbia.",
                "{x}, [from the first day|after a week|after a month], how annoying.",
            ),
        ),
    },
}

TITLES: dict[str, dict[str, tuple[Pair, ...]]] = {
    "de": {
        "+": (
            ("[Super|Klasse|Top]", "[Super|Great|Top]"),
            ("[Gerne wieder|Gute Wahl]", "[Gladly again|Good choice]"),
        ),
        "~": (("[Geht so|Mittelmaß]", "[So-so|Middling]"),),
        "-": (
            ("[Schrott|Enttäuscht]", "[Scrap|Disappointed]"),
            ("[Nie wieder|Finger weg]", "[Never again|Hands off]"),
        ),
    },
    "es": {
        "+": (
            ("[Genial|Perfecto]", "[Brilliant|Perfect]"),
            ("[Muy contento|Gran compra]", "[Very happy|Great buy]"),
        ),
        "~": (("[Normal|Regular]", "[Ordinary|So-so]"),),
        "-": (
            ("[Decepción|Mala compra]", "[Disappointment|Bad buy]"),
            ("[Nunca más|No lo compren]", "[Never again|Do not buy it]"),
        ),
    },
    "fr": {
        "+": (
            ("[Parfait|Excellent achat]", "[Perfect|Excellent buy]"),
            ("[Ravi|Conquis]", "[Delighted|Won over]"),
        ),
        "~": (("[Moyen|Bof]", "[Average|Meh]"),),
        "-": (("[Déçu|À fuir]", "[Disappointed|Run away]"), ("[Plus jamais|Nul]", "[Never again|Rubbish]")),
    },
    "it": {
        "+": (
            ("[Ottimo|Perfetto]", "[Excellent|Perfect]"),
            ("[Bellissimo|Ottima scelta]", "[Very beautiful|Excellent choice]"),
        ),
        "~": (("[Nella media|Così così]", "[Average|So-so]"),),
        "-": (
            ("[Pessimo|Delusione]", "[Terrible|Disappointment]"),
            ("[Mai più|Da evitare]", "[Never again|To be avoided]"),
        ),
    },
}


@lru_cache(maxsize=64)
def pairs(language: str, name: str) -> tuple[tuple[Pattern, Pattern], ...]:
    """Sentences (``+``, ``~``, ``-``, ``term+``, ``term-``) or titles (``title+`` ...) with translations."""
    sources = TITLES[language][name[5:]] if name.startswith("title") else PAIRS[language][name]
    return tuple((_pattern(own), _pattern(english)) for own, english in sources)


def _pattern(source: str) -> Pattern:
    return grammar.pattern(source, lists={})
