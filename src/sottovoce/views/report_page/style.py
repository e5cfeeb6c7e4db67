"""How a report looks: on a phone, on a screen and on paper."""

from __future__ import annotations

STYLE = """
*{box-sizing:border-box}
body{font:17px/1.55 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1.5rem 1rem 3rem;color:#1b1b1b;
background:#fff;overflow-wrap:break-word}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;border-bottom:3px solid #1f5f8b;
padding-bottom:1rem}
header img{max-height:4rem;max-width:10rem}header div{flex:1 1 16rem}
h1{font-size:1.7rem;line-height:1.2;margin:0}h2{font-size:1.3rem;margin:2.4rem 0 .6rem;line-height:1.25}
h3{font-size:1.08rem;margin:1.8rem 0 .2rem}p{margin:.5rem 0}.lead{font-size:1.1rem}
ol.findings{padding:0;list-style:none;counter-reset:f}
ol.findings li{counter-increment:f;position:relative;padding:.1rem 0 .9rem 2.6rem}
ol.findings li::before{content:counter(f);position:absolute;left:0;top:.1rem;width:1.8rem;height:1.8rem;
line-height:1.8rem;border-radius:50%;background:#1f5f8b;color:#fff;text-align:center;font-weight:600}
ol.findings b{display:block}
table{border-collapse:collapse;margin:.6rem 0}caption{text-align:left;font-size:.9rem;color:#555;padding-bottom:.3rem}
td,th{padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:top;font-weight:normal}
th[scope=col]{border-bottom:1px solid #999;font-size:.9rem;vertical-align:bottom}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto;max-width:100%}
table.bars{width:100%;table-layout:fixed}.bars th{width:28%}.bars td.n{width:34%;font-size:.9rem;padding-right:0}
.track div{position:relative;height:1.3rem;margin-top:.1rem}.track i{position:absolute;display:block}
.bar{top:.1rem;height:1.1rem;background:#b9d6e8}.reach{top:.58rem;height:.16rem;background:#1f5f8b}
.mark{top:.36rem;width:.6rem;height:.6rem;margin-left:-.3rem;border-radius:50%;background:#1f5f8b}
table.heat{font-size:.9rem}.heat td,.heat th{padding:.3rem .5rem}.heat th{background:#fff}
.heat th[scope=row],.heat th:first-child{padding-left:0;min-width:6rem;position:sticky;left:0}
.trend{width:100%;height:auto;display:block;margin:.4rem 0}.trend polygon{fill:#b9d6e8;fill-opacity:.7}
.trend polyline{fill:none;stroke:#1f5f8b;stroke-width:2}.trend circle{fill:#1f5f8b}.trend .rule{stroke:#ddd}
.trend text{font-size:13px;fill:#555}summary{cursor:pointer;color:#555;font-size:.9rem}
.note{color:#555;font-size:.9rem}.bad{color:#a40000;font-weight:bold}code{overflow-wrap:anywhere;font-size:.85rem}
.promise{border-left:4px solid #1f5f8b;padding:.4rem 1rem;background:#f2f7fa}
.facts td:nth-child(2):last-child{overflow-wrap:anywhere}
@media (max-width:30rem){body{font-size:16px}.trend text{font-size:20px}.bars,.bars tbody{display:block}
.bars tr{display:grid;grid-template-columns:1fr auto;margin:.5rem 0}.bars caption{display:block}
.bars th,.bars td.n{width:auto;padding:0}.bars .track{grid-column:1/3;order:3;padding:0}}
@page{size:A4;margin:18mm 16mm}
@media print{body{font-size:10.5pt;max-width:none;padding:0}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
h2,h3,caption{break-after:avoid}tr,li,.attribute{break-inside:avoid}.page{break-before:page}.wide{overflow:visible}}
"""
