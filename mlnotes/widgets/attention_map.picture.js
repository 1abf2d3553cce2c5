// The map as a file, drawn as `AttentionMap.picture` draws it.

const HATCHING = '<defs><pattern id="masked" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
  + '<rect width="5" height="5" fill="#f2f2f4"/><path d="M0 0V5" stroke="#8a8f98" stroke-width="2"/></pattern></defs>';

function pictureOf(map, { names, keyNames, shown }) {
  const short = (x) => String(Number(x.toPrecision(6)));
  const escape = (text) => text.replace(/[&<>"']/g, (it) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[it]);
  const text = (x, y, content, anchor, more = "") =>
    `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"${more}>${escape(content)}</text>`;
  const quiet = ' fill="#555c68" font-size="11"';
  const emphasis = (isMarked) => (isMarked ? ' font-weight="700" text-decoration="underline"' : "");
  const cell = keyNames.length <= 16 ? 30 : 18;
  const longest = (words) => 8 * Math.max(...words.map((word) => [...word].length));
  const [left, top] = [24 + longest([...names, "queries"]), 24 + longest(keyNames)];
  const parts = [HATCHING, text(left - 8, top - 24, "keys →", "end", quiet), text(left - 8, top - 10, "queries ↓", "end", quiet)];
  keyNames.forEach((name, j) => {
    const [x, y] = [left + (j + 0.5) * cell + 4, top - 8];
    parts.push(text(x, y, name, "start", ` transform="rotate(-90 ${short(x)} ${y})"${emphasis(map.isMarkedKey(j))}`));
  });
  const square = (x, y, weight, allowed) => {
    const { hex, ink } = shade(weight);
    const box = `<rect x="${x + 1}" y="${y + 1}" width="${cell - 2}" height="${cell - 2}" rx="2" fill="${allowed ? hex : "url(#masked)"}"/>`;
    const digits = weight.toFixed(2).replace(/^0/, "");
    return allowed && cell >= 30
      ? box + text(x + cell / 2, y + cell / 2 + 4, digits, "middle", ` fill="${ink}" font-size="11"`) : box;
  };
  names.forEach((name, i) => {
    const y = top + i * cell;
    parts.push(text(left - 8, y + cell / 2 + 4, name, "end", emphasis(map.isMarkedQuery(i))));
    keyNames.forEach((_, j) => parts.push(square(left + j * cell, y, map.rows[i].weights[j], map.mayLook(i, j))));
  });
  const [width, bottom] = [Math.max(left + keyNames.length * cell, 260) + 12, top + names.length * cell];
  if (shown) parts.push(text(left, bottom + 64, shown, "start", quiet));
  return framed(width, bottom + (shown ? 76 : 56), [...parts, ramp(left, bottom + 16, 160)]);

  function ramp(x, y, wide) {
    const [n, stripe] = [32, wide / 32];
    const stripes = Array.from({ length: n }, (_, at) =>
      `<rect x="${short(x + at * stripe)}" y="${y}" width="${short(stripe + 0.5)}" height="10" fill="${shade(at / (n - 1)).hex}"/>`);
    return stripes.join("") + text(x, y + 24, "0", "middle") + text(x + wide, y + 24, "1", "middle")
      + text(x + wide / 2, y + 24, "weight", "middle");
  }
}

function framed(width, height, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `
    + `font-family="system-ui, sans-serif" font-size="13"><rect width="100%" height="100%" rx="6" fill="#ffffff"/>${parts.join("")}</svg>`;
}

// Saving needs no server: the file is in the link that is followed.

function saving(model, picture) {
  const [layers, heads] = [model.get("q").length, model.get("heads")];
  const name = () => ["attention", layers > 1 && `layer ${nameOfLayer(model, model.get("layer"))}`, heads.length > 1 && `head ${heads[model.get("head")]}`]
    .filter(Boolean).join(" ").replace(/[^\p{Letter}\p{Number}]+/gu, "-");
  const url = () => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture())}`;
  const download = (href, ending) => h("a", { href, download: `${name()}.${ending}` }).click();
  const pixels = async (scale = 3) => {
    const image = h("img", { src: url() });
    await image.decode();
    const canvas = h("canvas", { width: scale * image.width, height: scale * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  };
  const button = (label, onclick) => h("button", { type: "button", onclick }, label);
  return h("span", {},
    button("Save as SVG", () => download(url(), "svg")),
    button("Save as PNG", async () => download(await pixels(), "png")));
}
