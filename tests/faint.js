// Texts of a page whose contrast with what is behind them is below 4.5 : 1, by WCAG's formula.
(() => {
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const chain = element => element ? [...chain(element.parentElement), element] : [];
  const behind = element => chain(element).reduce(
    (below, each) => over(parse(getComputedStyle(each).backgroundColor), below), [255, 255, 255]);
  const opacity = element => chain(element).reduce((all, each) => all * getComputedStyle(each).opacity, 1);
  const shown = node => {
    const element = node.parentElement, range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    return node.data.trim() && box.width > 1 && box.height > 1 && !element.closest("script, style, noscript, svg")
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = {};
  let seen = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!shown(node)) continue;
    seen++;
    const below = behind(element), [r, g, b, a] = parse(getComputedStyle(element).color);
    const [dark, bright] = [luminance(over([r, g, b, a * opacity(element)], below)), luminance(below)].sort((x, y) => x - y);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) faint[`${element.tagName}.${element.className} ${ratio.toFixed(2)}`] = node.data.trim().slice(0, 30);
  }
  return { seen, faint, page: behind(document.body) };
})()
