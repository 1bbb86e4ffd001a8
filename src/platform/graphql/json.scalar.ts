import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** JSON without a fixed structure, such as a tool's input schema or the details of an event. */
export const JsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: 'A JSON value',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: parseJsonLiteral,
});

function parseJsonLiteral(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(parseJsonLiteral);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, parseJsonLiteral(field.value)]));
    default:
      return null;
  }
}
