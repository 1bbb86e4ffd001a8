import {
  getNamedType,
  type GraphQLInputType,
  type GraphQLSchema,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { newId } from '../../src/platform/crypto/ids.js';

/** An operation for each field of Query and Mutation, with the minimal arguments that pass schema validation. */
export function everyOperation(schema: GraphQLSchema): { field: string; text: string }[] {
  const roots = { query: schema.getQueryType(), mutation: schema.getMutationType() };
  return Object.entries(roots).flatMap(([operation, root]) =>
    Object.values(root!.getFields()).map(({ name, args, type }) => {
      const needed = args
        .filter(isRequiredArgument)
        .map((argument) => `${argument.name}: ${exampleLiteral(argument.type)}`);
      const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
      const text = `${operation} { ${name}${needed.length ? `(${needed.join(', ')})` : ''}${selection} }`;
      return { field: name, text };
    }),
  );
}

function exampleLiteral(type: GraphQLInputType): string {
  if (isNonNullType(type)) return exampleLiteral(type.ofType as GraphQLInputType);
  if (isListType(type)) return `[${exampleLiteral(type.ofType as GraphQLInputType)}]`;
  if (isEnumType(type)) return type.getValues()[0].name;
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{ ${needed.map((field) => `${field.name}: ${exampleLiteral(field.type)}`).join(', ')} }`;
  }
  return scalars[type.name]?.() ?? '"text"';
}

const scalars: Record<string, () => string> = {
  ID: () => `"${newId()}"`,
  Int: () => '1',
  Float: () => '1.5',
  Boolean: () => 'true',
  DateTime: () => `"${new Date(Date.now() + 60_000).toISOString()}"`,
  JSON: () => '{}',
};
