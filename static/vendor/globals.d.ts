// What the scripts of this folder define, for `make check-scripts`. Their own types are not part of the copies.

declare var CodeMirror: any;
declare var htmx: any;
declare var Idiomorph: any;
declare var katex: any;
declare var rrwebRecord: any;
declare var rrwebReplay: any;
declare var uPlot: any;
