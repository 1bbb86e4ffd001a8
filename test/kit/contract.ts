import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Record<string, unknown>;
interface OpenApiDescription {
  paths: Record<string, Record<string, { responses: Record<string, { content: Record<string, { schema: Json }> }> }>>;
  components: { schemas: Record<string, Json> };
}

/** Checks responses against `/v1/openapi.json`. Undocumented members are violations, too. */
export class Contract {
  private readonly ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  private readonly compiled = new Map<object, ValidateFunction>();
  /** Checked responses, for example "getTask 200". */
  readonly checkedOperations = new Set<string>();

  private constructor(readonly description: OpenApiDescription) {
    this.ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    this.ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    this.ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    this.ajv.addKeyword('components');
    this.ajv.addSchema({ $id: 'api:', components: description.components });
  }

  static async of(url: string): Promise<Contract> {
    const response = await fetch(`${url}/v1/openapi.json`);
    return new Contract(closeObjects(await response.json()) as OpenApiDescription);
  }

  /** Throws if the response is not documented. */
  check(method: string, path: string, status: number, type: string | null, body: unknown): void {
    const template = this.templateOf(path);
    if (!template || status === 304) return;
    const operation = this.description.paths[template][method.toLowerCase()];
    if (!operation) return;
    const name = `${method} ${template} ${status}`;
    const content = operation.responses[status]?.content;
    const mediaType = type?.split(';')[0] ?? 'none';
    if (!content?.[mediaType])
      throw new Error(`${name} with ${mediaType} is not in the description: ${JSON.stringify(body)}`);
    const faults = this.faults(content[mediaType].schema, body);
    if (faults) throw new Error(`${name} is not as described: ${faults}\n${JSON.stringify(body, null, 2)}`);
    this.checkedOperations.add(name);
  }

  faults(schema: Json, value: unknown): string | null {
    const validate = this.compiled.get(schema) ?? this.ajv.compile(absoluteReferences(schema) as Json);
    this.compiled.set(schema, validate);
    return validate(value) ? null : this.ajv.errorsText(validate.errors);
  }

  private templateOf(path: string): string | undefined {
    const [pathname] = path.split('?');
    return Object.keys(this.description.paths).find((template) =>
      new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
    );
  }
}

/** Forbids undocumented members of objects. Leaves `allOf` open, because its parts are combined. */
function closeObjects(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closeObjects);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closeObjects(value)]));
  const isOpen = copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

const absoluteReferences = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/components/', '"api:#/components/'));
