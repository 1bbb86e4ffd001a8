/** Errors with a stable code: problem+json on HTTP (RFC 9457), `extensions.code` on GraphQL. */

export interface InvalidField {
  /** JSON pointer into the request. */
  pointer: string;
  detail: string;
}

export interface ProblemKind {
  code: string;
  status: number;
  title: string;
  /** For the page of the code: the cause, and what to do. */
  explain: string;
}

interface ProblemOptions {
  errors?: InvalidField[];
  headers?: Record<string, string>;
  /** Further members of the problem object. */
  extra?: Record<string, unknown>;
  cause?: unknown;
}

export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly errors?: InvalidField[];
  readonly headers?: Record<string, string>;
  readonly extra?: Record<string, unknown>;

  constructor(
    readonly kind: ProblemKind,
    detail: string,
    more: ProblemOptions = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.code = kind.code;
    this.status = kind.status;
    this.title = kind.title;
    this.errors = more.errors;
    this.headers = more.headers;
    this.extra = more.extra;
  }

  toJSON(typeBase: string, requestId?: string) {
    const { code, status, title, message: detail, errors, extra } = this;
    return { type: `${typeBase}/problems/${code}`, title, status, detail, code, requestId, errors, ...extra };
  }
}

const registeredProblems = new Map<string, ProblemKind>();

/** Registers a code. Returns a factory for errors with this code. */
export function defineProblem(kind: ProblemKind) {
  registeredProblems.set(kind.code, kind);
  const make = (detail: string, more?: ProblemOptions) => new Problem(kind, detail, more);
  return Object.assign(make, { code: kind.code });
}

export const problemKinds = (): ReadonlyMap<string, ProblemKind> => registeredProblems;
