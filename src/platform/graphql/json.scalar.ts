import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** JSON of no fixed shape, such as a tool's input schema or an event's facts. */
export const JsonObject = new GraphQLScalarType({
  name: 'JSON',
  description: 'A JSON value',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: literal,
});

function literal(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(literal);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, literal(field.value)]));
    default:
      return null;
  }
}
