const columns = 110;
const colours: Record<string, string> = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341' };
const [charWidth, lineHeight, margin] = [7.8, 19, 18];

/** Draws a text with the colours of the command line as an SVG. */
export function drawTerminal(text: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap(line));
  const [width, height] = [columns * charWidth + 2 * margin, lines.length * lineHeight + 2 * margin];
  const rows = lines.map(
    (line, row) =>
      `<text x="${margin}" y="${margin + (row + 0.75) * lineHeight}" xml:space="preserve">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-label="A session of the Countersign command line">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3">
${rows.join('\n')}
</g>
</svg>
`;
}

/** Long lines continue below, like in a terminal. */
function wrap(line: string): string[] {
  const parts = line.split(/(\u001b\[\d+m)/);
  const wrapped = [''];
  let width = 0;
  for (const part of parts) {
    if (part.startsWith('\u001b')) wrapped[wrapped.length - 1] += part;
    else
      for (const character of part) {
        if (width === columns) {
          wrapped.push('');
          width = 0;
        }
        wrapped[wrapped.length - 1] += character;
        width++;
      }
  }
  return wrapped;
}

function spans(line: string): string {
  let style = '';
  return line
    .split(/(\u001b\[\d+m)/)
    .map((part) => {
      const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
      if (code === undefined) return part && `<tspan${style}>${escapeXml(part)}</tspan>`;
      if (code === '1') style = ' font-weight="bold"';
      else if (code === '2') style = ' fill="#8b949e"';
      else style = colours[code] ? ` fill="${colours[code]}"` : '';
      return '';
    })
    .join('');
}

const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]!);
