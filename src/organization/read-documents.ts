import { invalidRequest } from '../platform/errors/general.error.js';
import type { InvalidField } from '../platform/errors/problem.js';
import { type JsonValue, parseStrict, StrictJsonError } from '../platform/json/strict-json.js';
import { maxDocuments, type OrganizationDocument } from './documents.js';
import { invalidDocuments } from './organization-plan.service.js';
import { parseDocument } from './parse-documents.js';

/** The documents of a request. */
export function readDocuments(text: string): OrganizationDocument[] {
  const values = parseJson(text);
  if (!Array.isArray(values)) throw invalidRequest('"documents" is not a JSON array.');
  if (values.length > maxDocuments) throw invalidRequest(`There are more than ${maxDocuments} documents.`);
  return checkDocuments(values);
}

export function checkDocuments(values: readonly unknown[]): OrganizationDocument[] {
  const faults: InvalidField[] = [];
  const documents = values.flatMap((value, nth) => {
    const parsed = parseDocument(value);
    if ('document' in parsed) return [parsed.document];
    faults.push(
      ...parsed.issues.map(({ path, message }) => ({ pointer: `/${[nth, ...path].join('/')}`, detail: message })),
    );
    return [];
  });
  if (faults.length) throw invalidDocuments(faults);
  return documents;
}

function parseJson(text: string): JsonValue {
  try {
    return parseStrict(text);
  } catch (error) {
    if (error instanceof StrictJsonError) throw invalidRequest(`"documents" is not valid JSON: ${error.message}`);
    throw error;
  }
}
