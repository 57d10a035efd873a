/* regex_node.mjs - patterns judged by structure and by node's RegExp, every difference shown.
 *
 * Usage: node regex_node.mjs JUDGE [--seed N] [--subjects N] [--simulate] [--random N] [--flags ims] FILE...
 *
 * JUDGE is the program regex_judge. A FILE holds a pattern a line, as a JSON string; --random adds
 * that many patterns that follow the grammar at random. --flags puts each pattern into a group with
 * these modifiers, and gives node the flags. Each pattern gets texts that walk it at random,
 * mutations of these, and a fixed list. Differences that are meant (tolerated escapes, modifiers,
 * which this node may not know) are counted apart. Ends with 1 when another difference was found.
 */
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import vm from 'node:vm';

const args = process.argv.slice(2);
const options = { seed: 1, subjects: 24, simulate: false, random: 0, flags: '' };
const files = [];
for (let i = 1; i < args.length; i++) {
  if (args[i] === '--seed') options.seed = Number(args[++i]);
  else if (args[i] === '--subjects') options.subjects = Number(args[++i]);
  else if (args[i] === '--random') options.random = Number(args[++i]);
  else if (args[i] === '--flags') options.flags = args[++i];
  else if (args[i] === '--simulate') options.simulate = true;
  else files.push(args[i]);
}

/* ---- randomness (a small generator, so that a seed gives the same texts everywhere) ---------- */

let state = options.seed >>> 0 || 1;
const random = limit => {
  state ^= state << 13; state >>>= 0;
  state ^= state >>> 17;
  state ^= state << 5; state >>>= 0;
  return state % limit;
};
const pick = list => list[random(list.length)];

/* ---- texts that walk a pattern --------------------------------------------------------------- */

const SAMPLES = ['a', 'Z', '0', '_', '-', ' ', '\n', '.', '/', 'é', 'ß', 'Σ', 'ſ', '\u2028', '中', '😀', '\u00a0', '\0'];
const FIXED = ['', 'a', 'A', '0', ' ', '\n', 'abc', '-1.5', 'foo-bar', 'x y', 'é', '😀', 'a\nb', '2020-01-31', 'http://a.b/c?d#e'];
const OF_ESCAPE = { d: '0', w: 'a', s: ' ', D: 'x', W: '-', S: 'x', t: '\t', n: '\n', r: '\r', f: '\f', v: '\v' };

/* Walks the pattern from a place to the end of its group; depth bounds the recursion. */
class Walk {
  constructor(pattern) { this.points = [...pattern]; this.at = 0; this.groups = []; this.depth = 0; }
  peek() { return this.points[this.at]; }
  text() {
    const branches = [''];
    while (this.at < this.points.length && this.peek() !== ')') {
      if (this.peek() === '|') { this.at++; branches.push(''); continue; }
      branches[branches.length - 1] += this.term();
      if (branches[branches.length - 1].length > 4000) branches[branches.length - 1] = 'x';
    }
    return pick(branches);
  }
  term() {
    const begin = this.at;
    const atom = this.atom();
    const after = this.at;
    const times = this.count();
    const end = this.at;
    let result = times > 0 ? atom : '';
    for (let i = 1; i < times && i < 400; i++) { this.at = begin; result += this.atom(); }
    this.at = Math.max(end, after);
    return result;
  }
  count() {
    const c = this.peek();
    let range = null;
    if (c === '*') { this.at++; range = [0, 3]; }
    else if (c === '+') { this.at++; range = [1, 3]; }
    else if (c === '?') { this.at++; range = [0, 1]; }
    else if (c === '{') {
      const match = /^\{(\d+)(,(\d*))?\}/.exec(this.points.slice(this.at, this.at + 24).join(''));
      if (match) {
        this.at += match[0].length;
        const min = Number(match[1]);
        range = [min, match[2] ? (match[3] ? Number(match[3]) : min + 2) : min];
        if (random(4) === 0) return pick([range[0], range[1], Math.max(0, range[0] - 1), range[1] + 1]);
        range[1] = Math.min(range[1], range[0] + 4);
      }
    }
    if (range === null) return 1;
    if (this.peek() === '?') this.at++;
    return range[0] + random(Math.max(1, range[1] - range[0] + 1));
  }
  atom() {
    const c = this.points[this.at++];
    if (c === '(') return this.group();
    if (c === '[') return this.set();
    if (c === '\\') return this.escape();
    if (c === '.') return pick(SAMPLES);
    if (c === '^' || c === '$') return '';
    return c;
  }
  group() {
    let capture = true;
    let silent = false;
    if (this.peek() === '?') {
      const head = this.points.slice(this.at, this.at + 3).join('');
      capture = /^\?<[^=!]/.test(head);
      silent = /^\?(<?!|<=)/.test(head);
      if (/^\?<[=!]/.test(head)) this.at += 3;
      else if (capture) { while (this.at < this.points.length && this.points[this.at++] !== '>'); }
      else { while (this.at < this.points.length && !':=!'.includes(this.points[this.at++])); }
    }
    const number = capture ? this.groups.push('') - 1 : -1;
    const text = ++this.depth > 60 ? '' : this.text();
    this.depth--;
    if (this.peek() === ')') this.at++;
    if (capture) this.groups[number] = text;
    return silent && random(3) > 0 ? '' : text;
  }
  set() {
    const members = [];
    const negated = this.peek() === '^';
    if (negated) this.at++;
    while (this.at < this.points.length && this.peek() !== ']') {
      const from = this.peek() === '\\' ? (this.at++, this.escape()) : this.points[this.at++];
      if (this.peek() === '-' && this.points[this.at + 1] !== ']' && from) {
        this.at++;
        const to = this.peek() === '\\' ? (this.at++, this.escape()) : this.points[this.at++];
        const [low, high] = [from.codePointAt(0), (to || from).codePointAt(0)];
        let code = low + random(Math.max(1, high - low + 1));
        if (code >= 0xD800 && code <= 0xDFFF) code = 0x61;
        members.push(String.fromCodePoint(Math.min(code, 0x10FFFF)), from, to || from);
      } else members.push(from);
    }
    this.at++;
    if (negated || members.length === 0) return pick(SAMPLES);
    return pick(members) || '';
  }
  escape() {
    const c = this.points[this.at++] ?? '';
    if (c === 'u' || c === 'x' || c === 'c' || c === 'p' || c === 'P' || c === 'k') {
      const rest = this.points.slice(this.at, this.at + 60).join('');
      const match = /^(\{([0-9A-Fa-f]+)\}|[0-9A-Fa-f]{4}(\\u[dD][c-fC-F][0-9A-Fa-f]{2})?)/.exec(rest);
      const braces = /^[{<][^}>]*[}>]/.exec(rest);
      if (c === 'u' && match) {
        this.at += match[0].length;
        try { return JSON.parse('"' + (match[2] ? String.fromCodePoint(parseInt(match[2], 16)) : '\\u' + match[0]) + '"'); } catch { return 'u'; }
      }
      if (c === 'x') { this.at += 2; return String.fromCharCode(parseInt(rest.slice(0, 2), 16) || 0x61); }
      if (c === 'c') { this.at += 1; return String.fromCharCode(rest.charCodeAt(0) % 32); }
      if (braces) this.at += braces[0].length;
      return c === 'k' ? pick([...this.groups, '']) : pick(SAMPLES);
    }
    if (/[1-9]/.test(c)) return this.groups[Number(c) - 1] ?? '';
    if (c === 'b' || c === 'B') return '';
    if (c === 'd') return String(random(10));
    if (c === '0') return '\0';
    return OF_ESCAPE[c] ?? c;
  }
}

const mutate = text => {
  const points = [...text];
  const at = random(points.length + 1);
  if (options.flags !== '' && random(2) === 0)
    return points.map(c => random(2) === 0 ? c.toUpperCase() : c.toLowerCase()).join('');
  switch (random(5)) {
    case 0: points.splice(at, 1); break;
    case 1: points.splice(at, 0, pick(SAMPLES)); break;
    case 2: points.splice(at, 1, pick(SAMPLES)); break;
    case 3: points.splice(at, 0, ...points.slice(0, at)); break;
    default: return text + pick(SAMPLES);
  }
  return points.join('');
};

const scalar = text => text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '?');

const subjectsOf = pattern => {
  const texts = new Set(FIXED);
  const plain = pattern.replace(/\\/g, '');
  texts.add(scalar(plain.slice(0, 200)));
  for (let i = 0; texts.size < FIXED.length + options.subjects && i < options.subjects * 4; i++) {
    const text = scalar(new Walk(pattern).text()).slice(0, 3000);
    texts.add(scalar(text));
    if (random(2) === 0) texts.add(scalar(mutate(text)));
    if (random(4) === 0) texts.add(scalar(text + mutate(text)));
  }
  return [...texts];
};

/* ---- patterns at random ---------------------------------------------------------------------- */

const LEAVES = ['a', 'b', 'ab', 'c', '.', '[ab]', '[^a]', '\\d', '\\w', '\\W', '\\s', 'é', '[é-ü]', '😀', '[^]', '[]', '\\u{61}',
  '\\ud83d\\ude00', '\\p{L}', '\\P{Lu}', '\\p{sc=Greek}', '[\\d\\p{Ll}]', '\\x61', '[^\\w\\s]', '(?:)', '-', '[a\\-c]'];
const EDGES = ['^', '$', '\\b', '\\B'];
const COUNTS = ['', '', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{0,2}', '{1,3}?', '{2,}', '{0}', '{1,}'];

const randomPattern = () => {
  let groups = 0;
  const names = [];
  const sequence = depth => {
    let result = '';
    for (let i = random(4) + (depth === 0 ? 1 : 0); i > 0; i--) result += term(depth);
    return result;
  };
  const choice = depth => {
    let result = sequence(depth);
    while (random(4) === 0) result += '|' + sequence(depth);
    return result;
  };
  const term = depth => {
    const kind = random(depth > 3 ? 12 : 20);
    if (kind < 10) return pick(LEAVES) + (random(3) === 0 ? pick(COUNTS) : '');
    if (kind === 10) return pick(EDGES);
    if (kind === 11) return groups > 0 && random(2) === 0
      ? (names.length > 0 && random(3) === 0 ? '\\k<' + pick(names) + '>' : '\\' + (1 + random(groups))) + '(?:)' + pick(COUNTS) : 'a';
    if (kind < 15) return '(?:' + choice(depth + 1) + ')' + pick(COUNTS);
    if (kind === 15 || kind === 16) {
      const name = random(3) === 0 ? 'n' + groups : '';
      groups++;
      if (name !== '') names.push(name);
      return (name !== '' ? '(?<' + name + '>' : '(') + choice(depth + 1) + ')' + pick(COUNTS);
    }
    return pick(['(?=', '(?!', '(?<=', '(?<!']) + choice(depth + 1) + ')';
  };
  return choice(0);
};

/* ---- node's verdicts ------------------------------------------------------------------------- */

/* Identity escapes that `u` refuses, read as the mark. */
const withoutTolerated = pattern => {
  let result = '';
  let inClass = false;
  const points = [...pattern];
  for (let i = 0; i < points.length; i++) {
    const c = points[i];
    if (c === '\\' && i + 1 < points.length) {
      const next = points[++i];
      const tolerated = /^[!-\/:-@[-`{-~]$/.test(next) && !'^$\\.*+?()[]{}|/'.includes(next);
      result += tolerated && !(inClass && next === '-') ? next : c + next;
    } else {
      if (c === '[') inClass = true;
      if (c === ']') inClass = false;
      result += c;
    }
  }
  return result;
};

const compile = pattern => { try { return new RegExp(pattern, options.flags + 'u'); } catch { return null; } };

const box = vm.createContext({ regex: null, text: '' });
const script = new vm.Script('regex.test(text)');
const test = (regex, text) => {
  box.regex = regex;
  box.text = text;
  try { return script.runInContext(box, { timeout: 300 }) ? '1' : '0'; } catch { return '?'; }
};

/* ---- the comparison -------------------------------------------------------------------------- */

const written = files.flatMap(
  file => readFileSync(file, 'utf8').split('\n').filter(line => line !== '').map(line => JSON.parse(line)));
const patterns = [...new Set([...written, ...Array.from({ length: options.random }, randomPattern)])]
  .filter(pattern => scalar(pattern) === pattern);
const modified = pattern => options.flags === '' ? pattern : '(?' + options.flags + ':' + pattern + ')';
const cases = patterns.map(pattern => ({ p: pattern, s: subjectsOf(pattern) }));
const run = spawnSync(args[0], options.simulate ? ['simulate'] : [], {
  input: cases.map(item => JSON.stringify({ p: modified(item.p), s: item.s }) + '\n').join(''), maxBuffer: 1 << 30 });
const answers = run.stdout.toString().split('\n');
if (run.status !== 0) { console.error(run.stderr.toString().slice(0, 4000)); process.exit(1); }

const tally = { patterns: patterns.length, pairs: 0, both_refuse: 0, tolerated: 0, modifiers: 0, limit: 0,
                node_gave_up: 0, we_gave_up: 0, differences: 0 };
const shapes = {};
const show = (...parts) => { if (tally.differences++ < 60) console.log(...parts.map(p => JSON.stringify(p).slice(0, 300))); };
cases.forEach((item, index) => {
  const answer = answers[index];
  let regex = compile(item.p);
  if (answer.startsWith('!')) {
    const isSyntax = answer.includes('not an ECMA-262');
    if (regex === null && isSyntax) tally.both_refuse++;
    else if (!isSyntax) { tally.limit++; }
    else show('refused', item.p, answer);
    return;
  }
  const [verdicts, shape] = answer.split(' ');
  shapes[shape] = (shapes[shape] || 0) + 1;
  if (regex === null && shape.endsWith('+')) {
    tally.tolerated++;
    regex = compile(withoutTolerated(item.p));
  }
  if (regex === null && /\(\?[ims-]+:/.test(item.p)) { tally.modifiers++; return; }
  if (regex === null) { show('accepted', item.p); return; }
  for (let i = 0, slow = 0; i < item.s.length && slow < 3; i++) {
    const expected = test(regex, item.s[i]);
    tally.pairs++;
    if (expected === '?') { tally.node_gave_up++; slow++; }
    else if (verdicts[i] === '?') tally.we_gave_up++;
    else if (verdicts[i] !== expected) show('verdict', item.p, item.s[i], 'node ' + expected, shape);
  }
});
console.log(JSON.stringify(tally));
console.log(JSON.stringify(shapes));
process.exit(tally.differences > 0 ? 1 : 0);
