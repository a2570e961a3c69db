package dev.headrace.report;

/**
 * How the page looks: light, dark and on paper. The colours are Okabe and Ito's, which people with
 * any kind of colour vision tell apart; patterns and words say the same again.
 */
final class PageStyle {
  private PageStyle() {}

  /** Hatches that the drawings refer to. */
  static final String PATTERNS =
      """
      <svg class="patterns" aria-hidden="true"><defs>
      <pattern id="hatch-await" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="p-await" width="6" height="6"/><rect class="p-await-line" width="2" height="6"/></pattern>
      <pattern id="hatch-idle" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
      <rect class="p-idle" width="6" height="6"/><rect class="p-idle-line" width="2.6" height="6"/></pattern>
      <pattern id="dots" width="4" height="4" patternUnits="userSpaceOnUse">
      <rect class="p-dots" width="4" height="4"/><rect class="p-dots-dot" width="2" height="2"/></pattern>
      </defs></svg>\
      """;

  static final String CSS =
      """
      :root { color-scheme: light dark;
        --page: #f4f6f8; --card: #ffffff; --ink: #16202a; --soft: #566472; --line: #d8dfe6; --ground: #eef2f5;
        --blue: #0072b2; --sky: #56b4e9; --green: #009e73; --red: #d55e00; --redfill: #b34e00; --orange: #e69f00;
        --grey: #a3b0bc; --orangeline: #b87800; --tint: #f6c9a6; --code: #f0f4f7;
        --band0: #d9efe7; --band1: #dfe9f5; --band2: #ece5f3; }
      @media (prefers-color-scheme: dark) { :root {
        --page: #0d1318; --card: #151d24; --ink: #e7eef4; --soft: #9aabba; --line: #2a3641; --ground: #1c262f;
        --blue: #3d9fe0; --sky: #56b4e9; --green: #1fb98b; --red: #ff8c42; --redfill: #b34e00; --orange: #e69f00;
        --grey: #6b7985; --orangeline: #8f5f00; --tint: #5c3013; --code: #1b252e;
        --band0: #17342c; --band1: #1b2d40; --band2: #2f2740; } }
      @media print { :root {
        --page: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --ground: #f2f2f2;
        --blue: #0072b2; --green: #009e73; --red: #d55e00; --grey: #a3b0bc; --orangeline: #b87800; --tint: #f6c9a6;
        --code: #f4f4f4; --band0: #d9efe7; --band1: #dfe9f5; --band2: #ece5f3; } }
      * { box-sizing: border-box; }
      html { -webkit-text-size-adjust: 100%; }
      body { margin: 0; background: var(--page); color: var(--ink);
        font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
      header, main { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
      header { display: flex; gap: 14px; align-items: baseline; padding-top: 18px; padding-bottom: 12px; flex-wrap: wrap; }
      header p { margin: 0; overflow-wrap: anywhere; }
      .brand { font-weight: 700; letter-spacing: .01em; color: var(--blue); }
      .brand svg { display: inline-block; width: 17px; height: 17px; vertical-align: -3px; fill: none; stroke: currentColor; stroke-width: 1.8; }
      header .name { font-weight: 600; } .date { color: var(--soft); margin-left: auto !important; font-size: 13px; }
      section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 0 0 16px; }
      h1 { font-size: 27px; line-height: 1.25; margin: 4px 0 8px; font-weight: 680; letter-spacing: -.01em; overflow-wrap: anywhere; }
      h2 { font-size: 18px; margin: 0 0 8px; } h3 { font-size: 15px; margin: 20px 0 4px; }
      summary { cursor: pointer; } summary h2 { display: inline-block; margin: 0; }
      details[open] > summary { margin-bottom: 10px; }
      p { margin: 0 0 6px; } .note, .soft { color: var(--soft); } .note { font-size: 13.5px; } tspan.soft { fill: var(--soft); }
      ul, ol { margin: 0; padding: 0; list-style: none; } li, p, dd, td, bdi { overflow-wrap: anywhere; }
      code, pre { font: 13px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace; }
      pre { margin: 4px 0 8px; padding: 8px 11px; background: var(--code); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
      svg { display: block; } svg text { fill: var(--ink); font-family: inherit; }
      .patterns { position: absolute; width: 0; height: 0; }
      .headline { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 18px 36px; padding: 24px 26px; }
      .kind { display: inline-flex; align-items: center; gap: 7px; margin: 0; font-weight: 650; font-size: 14px; }
      .kind.bad { color: var(--red); } .kind.good { color: var(--green); }
      .mark { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
      .evidence li, .why li { color: var(--soft); font-size: 14px; padding-left: 14px; position: relative; }
      .evidence li::before, .why li::before { content: "–"; position: absolute; left: 0; }
      .gauges { display: flex; gap: 32px; } .gauge { min-width: 130px; } .gauge:first-child { width: 240px; }
      .number { font-size: 48px; line-height: 1; font-weight: 720; letter-spacing: -.03em; margin: 0 0 4px; font-variant-numeric: tabular-nums; white-space: nowrap; }
      .number small { font-size: 22px; font-weight: 600; color: var(--soft); letter-spacing: 0; }
      .what { text-transform: uppercase; letter-spacing: .05em; font-size: 11.5px; font-weight: 650; color: var(--soft); margin: 0 0 4px; }
      .split { width: 100%; max-width: 240px; height: 14px; margin: 6px 0; border-radius: 3px; }
      .first { grid-column: 1 / -1; display: flex; gap: 22px; align-items: flex-start; border-top: 1px solid var(--line); padding-top: 18px; }
      .first > div { min-width: 0; flex: 1; } .first pre { display: inline-block; max-width: 100%; }
      .gain { font-size: 40px; line-height: 1.1; font-weight: 720; color: var(--blue); letter-spacing: -.02em; margin: 0; }
      .title { font-weight: 650; font-size: 16px; margin: 0 0 2px; overflow-wrap: anywhere; } .first .title { font-size: 18px; }
      .graph, .chart { width: 100%; height: auto; } .tall { max-height: 900px; overflow-y: auto; }
      .tall .graph { max-width: 760px; margin: 0 auto; } .narrow { display: none; }
      rect.band0 { fill: var(--band0); } rect.band1 { fill: var(--band1); } rect.band2 { fill: var(--band2); }
      path.joint { fill: none; stroke-width: 26px; stroke-linejoin: round; }
      path.band0 { stroke: var(--band0); } path.band1 { stroke: var(--band1); } path.band2 { stroke: var(--band2); }
      .box { fill: var(--card); stroke: var(--grey); stroke-width: 1.2px; } .consumer .box { stroke: var(--green); stroke-width: 2px; }
      .limit .box { stroke: var(--redfill); stroke-width: 4px; } .flag { fill: var(--redfill); }
      svg .flagtext { fill: #ffffff; font-size: 12px; font-weight: 750; letter-spacing: .06em; text-anchor: middle; } .upright .flagtext { font-size: 10px; }
      .word { font-size: 14.5px; font-weight: 700; } .tight { font-size: 12px; } svg .line { font-size: 11.5px; fill: var(--soft); }
      .big { font-size: 13.5px; font-weight: 650; } .num { font-size: 12.5px; } .lane { font-size: 12px; font-weight: 600; }
      .flow { fill: none; stroke: var(--soft); stroke-width: 2px; } .head { fill: var(--soft); }
      .tank { fill: none; stroke: var(--soft); } .water { fill: var(--sky); }
      .trough, .ground { fill: var(--ground); } .compute, .busy { fill: var(--blue); } .await { fill: url(#hatch-await); }
      .starve, .starved { fill: url(#dots); } .step { fill: var(--green); } .idle { fill: url(#hatch-idle); } .delivered { fill: var(--green); opacity: .75; }
      .p-await { fill: var(--orange); } .p-await-line { fill: var(--orangeline); } .p-idle { fill: var(--tint); } .p-idle-line { fill: var(--red); }
      .p-dots { fill: var(--grey); } .p-dots-dot { fill: var(--soft); }
      .busy { opacity: .8; } .level { fill: none; stroke: var(--orange); stroke-width: 1.8px; }
      .axis { font-size: 11.5px; } svg .axis { fill: var(--soft); } svg .axis.name { fill: var(--ink); }
      .grid { stroke: var(--line); stroke-width: 1px; fill: none; } .epoch { stroke: var(--soft); stroke-dasharray: 2 3; fill: none; }
      .over { fill: var(--red); } .dashed { stroke: var(--red); stroke-dasharray: 6 4; stroke-width: 1.6px; fill: none; }
      .legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 12px; font-size: 13px; color: var(--soft); }
      .swatch { display: inline-block; width: 18px; height: 11px; vertical-align: -1px; }
      .advice > li { counter-increment: advice; border-top: 1px solid var(--line); padding: 14px 0 10px; }
      .advice > li:first-child { border-top: 0; }
      .card { display: grid; grid-template-columns: 28px minmax(0, 1fr) 320px; gap: 0 16px; }
      .card::before { content: counter(advice); font-weight: 750; font-size: 18px; color: var(--soft); }
      .where { color: var(--soft); font-size: 13.5px; } .effect p { font-size: 13.5px; } .next { font-weight: 600; }
      .gainbar { width: 100%; max-width: 300px; height: auto; } .predicted { fill: var(--blue); } .measured { fill: var(--green); }
      .today { stroke: var(--ink); stroke-width: 1.5px; stroke-dasharray: 3 2; } .factor { font-size: 13.5px; font-weight: 650; } .factor .soft { font-weight: 400; }
      .scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
      th, td { padding: 5px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); } thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
      .right { text-align: right; } .numbers td { white-space: nowrap; } .trials { width: 100%; } .trials .gainbar { width: 230px; } .trials .right { white-space: nowrap; } .trials td:nth-child(2), .trials td:last-child { min-width: 170px; }
      .numbers tbody th { position: sticky; left: 0; background: var(--card); font-weight: 600; min-width: 170px; max-width: 260px; overflow-wrap: anywhere; }
      .numbers thead th[title] { text-decoration: underline dotted; text-underline-offset: 3px; }
      .plain { width: 100%; } .plain th { font-weight: 500; width: 30%; } .plain td { white-space: nowrap; } .plain td.bar { width: 45%; } .bar svg { width: 100%; height: 12px; margin-top: 5px; }
      .findings li { padding: 10px 0; border-top: 1px solid var(--line); } .findings > li:first-child { border-top: 0; } .findings .evidence li { padding: 0 0 0 14px; border: 0; }
      .badge { font-size: 12px; font-weight: 700; border: 1.5px solid currentColor; border-radius: 5px; padding: 0 6px; white-space: nowrap; margin-right: 4px; }
      .problem .badge { color: var(--red); } .hint .badge { color: var(--blue); } .remark .badge { color: var(--soft); }
      .operator { font-weight: 650; } .rule { color: var(--soft); font-size: 12.5px; } .do { font-weight: 550; }
      dl { margin: 0; } .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 18px; } dt { color: var(--soft); } dd { margin: 0; }
      .glossary dt { color: var(--ink); font-weight: 650; margin-top: 8px; }
      .plan { white-space: pre; overflow-x: auto; overflow-wrap: normal; }
      .tip { cursor: default; } .tooltip { position: fixed; z-index: 9; max-width: min(440px, 92vw); padding: 8px 11px; border-radius: 7px; background: #10181f; color: #f2f6f9;
        font-size: 13px; white-space: pre-line; overflow-wrap: anywhere; pointer-events: none; box-shadow: 0 4px 18px rgba(0, 0, 0, .35); } .tooltip[hidden] { display: none; }
      @media (max-width: 1000px) { .headline { grid-template-columns: minmax(0, 1fr); } }
      @media screen and (max-width: 900px) { .wide { display: none; } .narrow { display: block; max-width: 480px; margin: 0 auto; } }
      @media screen and (max-width: 760px) {
        header, main { padding-left: 12px; padding-right: 12px; } section { padding: 14px; } .headline { padding: 16px 14px; }
        h1 { font-size: 22px; }
        .gauges, .first { flex-wrap: wrap; gap: 14px 28px; } .gauge:first-child { width: 100%; } .first > div { flex-basis: 100%; }
        .card { grid-template-columns: 22px minmax(0, 1fr); } .effect { grid-column: 2; margin-top: 8px; }
        .facts { grid-template-columns: minmax(0, 1fr); } .facts dd { margin-bottom: 6px; }
        .plain tr { display: grid; grid-template-columns: 1fr auto auto; border-bottom: 1px solid var(--line); padding: 4px 0; } .plain th, .plain td { border: 0; width: auto; padding: 2px 4px; } .plain td.bar { grid-column: 1 / -1; width: auto; } }
      @page { size: A4 landscape; margin: 11mm; }
      @media print { body { font-size: 12px; } section { break-inside: avoid-page; border-color: #cccccc; } .scroll { overflow: visible; } .tall { max-height: none; } .tooltip { display: none; }
        .numbers { font-size: 8px; } .numbers th, .numbers td { padding: 2px 3px; } .numbers tbody th { min-width: 90px; } thead th { white-space: normal; } * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
      """;
}
