// Charges released at rest, turned as a whole; where they go, and where two networks say that they go.

const STATE = ["x", "angle", "particle"];
const [SIZE, REACH, LIMIT] = [440, 3.2, 2.2];
const NETWORKS = { EGNN: "egnn", plain: "plain" };

function render({ model, el }) {
  frame(model, el, "charges");
  const [charges, duration, softening, nSteps] = ["charges", "duration", "softening", "n_steps"].map((name) => model.get(name));
  const last = charges.length - 1;
  const text = (v) => plain(v);
  const move = (axis) => (value) => write(model, {
    x: model.get("x").map((spot, i) => (i === model.get("particle") ? spot.map((old, k) => (k === axis ? value : old)) : spot)),
  });
  const angle = slider("Turn", { min: 0, max: 360, step: 5, text: (a) => `${plain(a)}°`, oninput: (a) => write(model, { angle: a }) });
  const particle = slider("Particle", {
    min: 0, max: last, step: 1, text: (k) => `${k + 1} of ${last + 1}`, oninput: (k) => write(model, { particle: k }),
  });
  const across = slider("x before the turn", { min: -LIMIT, max: LIMIT, step: 0.05, text, oninput: move(0) });
  const up = slider("y before the turn", { min: -LIMIT, max: LIMIT, step: 0.05, text, oninput: move(1) });
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, drawn);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });
  const ask = (name, x) => predict(model.get(NETWORKS[name]), x, charges, name === "EGNN");

  function draw() {
    const [x, a, k] = STATE.map((name) => model.get(name));
    angle.set(a);
    particle.set(k);
    across.set(x[k][0]);
    up.set(x[k][1]);
    const start = turn(x, a);
    const paths = simulate(start, charges, duration, nSteps, softening);
    const found = Object.fromEntries(Object.keys(NETWORKS).map((name) => {
      const spots = ask(name, start);
      const atRest = ask(name, x)[k];
      return [name, { spots, off: apart(spots[k], paths[nSteps][k]), drift: apart(turn([spots[k]], -a)[0], atRest) }];
    }));
    // Where the plain network's prediction would be at every angle, all turned as the charges are turned now.
    const loop = Array.from({ length: 72 }, (_, i) => turn([ask("plain", turn(x, 5 * i))[k]], a - 5 * i)[0]);
    // The picture shrinks where something would leave it.
    const places = [paths, found.EGNN.spots, found.plain.spots, loop].flat(3);
    const reach = Math.max(REACH, 1.05 * Math.max(...places.map(Math.abs)));
    drawing.dataset.reach = reach;
    drawn.replaceChildren(...picture(paths, charges, found, k, loop, SIZE / 2 / reach));
    drawing.setAttribute("aria-label", `${charges.length} charges turned by ${plain(a)}°, their paths, and two predictions of where they end`);
    sums.replaceChildren(
      measured("egnn-off", "EGNN misses the end by", found.EGNN.off), measured("plain-off", "plain network misses it by", found.plain.off),
      measured("egnn-drift", "EGNN, turned back, has moved by", found.EGNN.drift),
      measured("plain-drift", "plain network, turned back, has moved by", found.plain.drift));
    const said = tell(a, k, found);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Signed rings: where the charges are released. Lines and dots: their way and its end. "
    + "Blue circles: EGNN’s prediction. Orange squares: the plain graph network’s. Dotted: where its prediction for the chosen particle would be for all other turns, brought to this one.");
  el.append(h("div", { class: "mw-controls" }, ...[angle, particle, across, up].map((it) => it.element)),
    h("div", { class: "mw-main" }, drawing, h("div", {}, key, sums)), verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function turn(x, degrees) {
  const [c, s] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
  return x.map(([a, b]) => [c * a - s * b, s * a + c * b]);
}

function apart(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function forces(x, charges, softening) {
  return x.map((a, i) => {
    const total = [0, 0];
    x.forEach((b, j) => {
      if (i === j) return;
      const size = charges[i] * charges[j] / Math.hypot(a[0] - b[0], a[1] - b[1], softening) ** 3;
      total[0] += size * (a[0] - b[0]);
      total[1] += size * (a[1] - b[1]);
    });
    return total;
  });
}

function simulate(x, charges, duration, nSteps, softening) {
  const step = duration / nSteps;
  const add = (u, v, factor) => u.map((a, i) => a.map((b, k) => b + factor * v[i][k]));
  const seen = [x];
  let v = x.map(() => [0, 0]);
  let force = forces(x, charges, softening);
  for (let t = 0; t < nSteps; t += 1) {
    v = add(v, force, step / 2);
    seen.push(add(seen[t], v, step));
    force = forces(seen[t + 1], charges, softening);
    v = add(v, force, step / 2);
  }
  return seen;
}

function mlp(x, [w1, b1, w2, b2]) {
  const linear = (row, w, b) => b.map((bias, c) => row.reduce((sum, value, k) => sum + value * w[k][c], bias));
  return linear(linear(x, w1, b1).map((s) => s / (1 + Math.exp(-s))), w2, b2);
}

function predict(layers, x, charges, equivariant) {
  let features = x.map(() => layers[0].phi_e[1].map(() => 1));
  for (const phi of layers) {
    const heard = x.map((a, i) => {
      const sum = features[i].map(() => 0);
      const moved = [0, 0];
      x.forEach((b, j) => {
        if (i === j) return;
        const line = [a[0] - b[0], a[1] - b[1]];
        const seen = equivariant ? [line[0] ** 2 + line[1] ** 2] : line;
        const message = mlp([...features[i], ...features[j], ...seen, charges[i] * charges[j]], phi.phi_e);
        const weights = mlp(message, phi.phi_x);
        message.forEach((m, c) => { sum[c] += m; });
        line.forEach((part, k) => { moved[k] += (equivariant ? part * weights[0] : weights[k]) / (x.length - 1); });
      });
      return { sum, moved };
    });
    features = features.map((own, i) => mlp([...own, ...heard[i].sum], phi.phi_h));
    x = x.map((a, i) => [a[0] + heard[i].moved[0], a[1] + heard[i].moved[1]]);
  }
  return x;
}

function tell(angle, k, { EGNN, plain: other }) {
  if (angle % 360 === 0) return "Nothing is turned. The clouds of the training lay along the first axis.";
  const moved = (drift) => (drift < 1e-9 ? "has not moved at all" : `has moved by ${drift.toFixed(3)}`);
  return `Turned back by ${plain(angle)}°, EGNN’s prediction for particle ${k + 1} ${moved(EGNN.drift)}; the plain network’s ${moved(other.drift)}.`;
}

// What is seen

function measured(name, what, value) {
  return fact(name, what, value.toFixed(3), value);
}

function picture(paths, charges, found, k, loop, scale) {
  const at = ([a, b]) => [SIZE / 2 + scale * a, SIZE / 2 - scale * b];
  const line = (spots, props) => svg("polyline", { points: spots.map((spot) => at(spot).map((v) => v.toFixed(2)).join()).join(" "), ...props });
  const ways = charges.map((_, i) => line(paths.map((spots) => spots[i]), { class: "mw-path" }));
  const marks = charges.flatMap((charge, i) => {
    const [[x0, y0], [x1, y1]] = [at(paths[0][i]), at(paths[paths.length - 1][i])];
    const start = svg("circle", { cx: x0, cy: y0, r: 9, class: i === k ? "mw-start mw-on" : "mw-start" });
    const sign = svg("text", { x: x0, y: y0 + 5, "text-anchor": "middle" });
    sign.textContent = charge > 0 ? "+" : "−";
    return [start, sign, svg("circle", { cx: x1, cy: y1, r: 4, class: "mw-end" })];
  });
  const said = charges.flatMap((_, i) => {
    const [[ex, ey], [px, py]] = [at(found.EGNN.spots[i]), at(found.plain.spots[i])];
    return [svg("circle", { cx: ex, cy: ey, r: 7, class: "mw-egnn" }), svg("rect", { x: px - 5.5, y: py - 5.5, width: 11, height: 11, class: "mw-plain" })];
  });
  return [...ways, line([...loop, loop[0]], { class: "mw-loop" }), ...marks, ...said];
}

export default { render };
