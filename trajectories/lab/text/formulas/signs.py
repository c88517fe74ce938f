"""What commands of TeX are in plain characters."""

from __future__ import annotations

import re

# With a space on either side, however they are written.
BETWEEN_SIGNED = """
    le=≤ leq=≤ leqslant=≤ ge=≥ geq=≥ geqslant=≥ ne=≠ neq=≠ lt=< gt=> ll=≪ gg=≫ nleq=≰ ngeq=≱ nless=≮ ngtr=≯
    approx=≈ equiv=≡ sim=∼ simeq=≃ cong=≅ doteq=≐ asymp=≍ propto=∝ triangleq=≜ coloneqq=≔ prec=≺ succ=≻
    preceq=⪯ succeq=⪰ parallel=∥ nparallel=∦ perp=⊥ mid=| nmid=∤ models=⊨ vdash=⊢
    in=∈ notin=∉ ni=∋ subset=⊂ subseteq=⊆ subsetneq=⊊ nsubseteq=⊈ supset=⊃ supseteq=⊇ supsetneq=⊋
    cup=∪ cap=∩ setminus=∖ smallsetminus=∖ sqcup=⊔ uplus=⊎ wedge=∧ land=∧ vee=∨ lor=∨
    cdot=· times=× div=÷ pm=± mp=∓ ast=* star=⋆ circ=∘ bullet=• diamond=⋄ oplus=⊕ ominus=⊖ otimes=⊗
    oslash=⊘ odot=⊙ bmod=mod
    to=→ rightarrow=→ longrightarrow=→ leftarrow=← gets=← longleftarrow=← leftrightarrow=↔
    Rightarrow=⇒ Longrightarrow=⇒ implies=⇒ Leftarrow=⇐ Longleftarrow=⇐ impliedby=⇐ iff=⇔ Leftrightarrow=⇔
    Longleftrightarrow=⇔ mapsto=↦ longmapsto=↦ hookrightarrow=↪ rightleftharpoons=⇌
"""
SIGNED = """
    alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ
    varkappa=ϰ lambda=λ mu=μ nu=ν xi=ξ omicron=ο pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ
    upsilon=υ phi=φ varphi=φ chi=χ psi=ψ omega=ω
    Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω
    ell=ℓ hbar=ℏ aleph=ℵ Re=ℜ Im=ℑ imath=ı jmath=ȷ wp=℘ partial=∂ nabla=∇ infty=∞ emptyset=∅ varnothing=∅
    forall=∀ exists=∃ nexists=∄ neg=¬ lnot=¬ top=⊤ bot=⊥ therefore=∴ because=∵
    frown=⌢ item=• angle=∠ measuredangle=∡ sphericalangle=∢ triangle=△ bigtriangleup=△ vartriangle=△
    square=□ Box=□ blacksquare=■ Diamond=◇ lozenge=◊ bigcirc=◯ bigstar=★ clubsuit=♣ diamondsuit=♢
    heartsuit=♡ spadesuit=♠ checkmark=✓ dagger=† ddagger=‡ degree=° textdegree=° prime=′ pounds=£ S=§
    sum=∑ prod=∏ coprod=∐ int=∫ iint=∬ iiint=∭ oint=∮ bigcup=⋃ bigcap=⋂ bigoplus=⊕ bigotimes=⊗ bigvee=⋁
    bigwedge=⋀
    dots=… ldots=… cdots=… dotsb=… dotsc=… dotsm=… dotsi=… dotso=… vdots=⋮ ddots=⋱ colon=: uparrow=↑
    downarrow=↓ backslash=\\
    lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ langle=⟨ rangle=⟩ lvert=| rvert=| vert=| lVert=‖ rVert=‖ Vert=‖
    lbrace={ rbrace=} lbrack=[ rbrack=] lparen=( rparen=)
"""


def _read(table: str) -> dict[str, str]:
    return dict(re.findall(r"([A-Za-z]+)=(\S+)", table))


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


BETWEEN = _read(BETWEEN_SIGNED)
SIGNS = _read(SIGNED)
# They stand between limits.
WITH_LIMITS = frozenset("∑∏∐∫∬∭∮⋃⋂⊕⊗⋁⋀")
# They stand before what they are of when nothing stands before them.
UNARY = "±∓"
NEGATED = dict(zip("=∈<>≤≥≡∼⊂⊆|", "≠∉≮≯≰≱≢≁⊄⊈∤", strict=True))
FUNCTIONS = _words(
    """sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh coth log ln lg exp gcd lcm min max
    mod inf sup lim liminf limsup det dim ker deg arg"""
)
# Space behind and before them is none.
OPENING = frozenset(["lceil", "lfloor", "langle", "lvert", "lVert"])
CLOSING = "⌉⌋⟩"
# Escaped characters that are white space.
SPACES = frozenset(",;:> ")
WIDE_SPACES = frozenset(["quad", "qquad", "enspace", "thinspace", "space"])
# Sizes, styles and rules, which plain characters do not have.
UNSAID = _words(
    """left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm biggm Biggm
    displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits tiny scriptsize footnotesize small
    normalsize large Large LARGE huge Huge bf rm it sf tt sc bfseries itshape hline allowbreak nonumber notag
    noindent centering hfill hfil break nobreak newline strut relax"""
)
# With how many arguments, none of which is said.
UNSAID_WITH = {
    **dict.fromkeys(("hspace", "vspace", "phantom", "hphantom", "vphantom", "label", "color", "cline"), 1),
    **dict.fromkeys(("renewcommand", "setlength", "rule"), 2),
}
STYLED = _words(
    """text textbf textit textrm textsf texttt textsc textup textnormal emph mathrm mathbf mathbb mathcal
    mathit mathsf mathtt mathfrak mathscr boldsymbol bm pmb bold Bbb mbox hbox fbox boxed ensuremath smash
    mathop mathbin mathrel mathord mathclose mathopen underbrace overbrace cancel bcancel xcancel substack"""
)
# Styles of words, as units of measurement have them.
WORDS = _words(
    "text textbf textit textrm textsf texttt textsc textup textnormal emph mathrm mathsf mathtt mbox hbox"
)
# With how many arguments before the one that is said.
SAID = {
    **dict.fromkeys(STYLED, 0),
    **dict.fromkeys(("textcolor", "colorbox", "raisebox", "cancelto"), 1),
    "multicolumn": 2,
}
# A mark on each of a word's characters.
LINED = {"overline": "\u0305", "underline": "\u0332"}
# A mark on one character, and the word for more than one.
ACCENTS = {
    name: (mark, word)
    for mark, word, names in (
        ("\u0304", "bar", "bar"),
        ("\u0302", "hat", "hat widehat"),
        ("\u0303", "tilde", "tilde widetilde"),
        ("\u20d7", "vec", "vec overrightarrow"),
        ("\u0307", "dot", "dot"),
        ("\u0308", "ddot", "ddot"),
        ("\u0311", "arc", "overarc overparen wideparen"),
    )
    for name in names.split()
}
LINED_WORDS = {"overline": "bar", "underline": "underline"}
RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}

MATRICES = frozenset(["pmatrix", "bmatrix", "Bmatrix", "psmallmatrix"])
# What stands around them is written beside them, or nothing is.
BARE_GRIDS = frozenset(["matrix", "smallmatrix", "array", "subarray"])
DETERMINANTS = frozenset(["vmatrix", "Vmatrix"])
CASES = frozenset(["cases", "dcases", "rcases"])
TABLES = frozenset(["tabular", "tabularx", "table", "longtable"])
PICTURES = frozenset(["asy", "tikzpicture", "picture", "figure"])
# Their name is followed by what says how columns stand.
WITH_COLUMNS = frozenset(["array", "subarray", "alignat", "alignedat"])
