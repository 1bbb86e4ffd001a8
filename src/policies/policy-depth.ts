/**
 * An upper bound of the nesting depth of the expressions in a policy text, computed in one pass without recursion.
 *
 * Cedar parses, prints and evaluates expressions recursively, on a 1 MiB stack in WebAssembly. A stack overflow breaks
 * the instance, which all tenants share. A chain of operators such as `a && b && c` is as deep as it is long.
 */
export function policyDepth(text: string): number {
  const open = [new Level()];
  let deepest = 0;
  const close = () => {
    const { depth } = open.pop()!;
    if (open.length) open.at(-1)!.nest(depth + bracketCost);
    else deepest = Math.max(deepest, depth);
  };
  const end = () => {
    while (open.length) close();
    open.push(new Level());
  };
  for (const [sign] of text.matchAll(token)) {
    if ('([{'.includes(sign)) {
      open.at(-1)!.link();
      open.push(new Level());
    } else if (')]}'.includes(sign)) {
      if (open.length > 1) close();
    } else if (sign === ';') end();
    else if (sign === ',') open.at(-1)!.next();
    else if (sign === '.') open.at(-1)!.link();
    else if (operators.has(sign)) open.at(-1)!.operate();
    else if (comparisons.has(sign)) open.at(-1)!.compare();
  }
  end();
  return deepest;
}

/** Cedar fails at about 350 operators or 90 brackets. */
export const maxPolicyDepth = 200;
/** A bracket takes several levels of Cedar's grammar. */
const bracketCost = 4;

// comments and strings contain no operators; an unterminated string, which Cedar rejects, counts as ordinary text
const token = /\/\/[^\n\r]*|"(?:[^"\\]|\\[^])*"|[A-Za-z_][A-Za-z0-9_]*|&&|\|\||[=!<>]=|\S/g;
const operators = new Set(['&&', '||', '+', '-', '*', '!', 'if', 'when', 'unless']);
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'has', 'like', 'is']);

/** The expressions within one pair of brackets. */
class Level {
  private operators = 0;
  /** Consecutive attribute accesses, calls and indexes. */
  private links = 0;
  private longest = 0;
  private inside = 0;
  private before = 0;

  get depth(): number {
    return Math.max(this.before, this.operators + this.longest + this.inside);
  }

  operate(): void {
    this.operators++;
    this.links = 0;
  }

  compare(): void {
    this.links = 0;
  }

  link(): void {
    this.longest = Math.max(this.longest, ++this.links);
  }

  nest(depth: number): void {
    this.inside = Math.max(this.inside, depth);
  }

  /** Starts the next item of a list: earlier items do not add to its depth. */
  next(): void {
    this.before = this.depth;
    this.operators = this.links = this.longest = this.inside = 0;
  }
}
