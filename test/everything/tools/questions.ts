import { inputRequired } from '@modelcontextprotocol/server';
import type { Fixture } from '../fixture.ts';
import { asks, entered, form, sample, sampled } from './asking.ts';

const oneOf = (noun: string) => [
  { const: 'value1', title: `First ${noun}` },
  { const: 'value2', title: `Second ${noun}` },
  { const: 'value3', title: `Third ${noun}` },
];
const options = ['option1', 'option2', 'option3'];

/** One question to the model or the person at the other end. */
export const questions: Record<string, Fixture> = {
  test_sampling: {
    description: 'Asks the model of its caller.',
    inputSchema: {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'What the model is asked' } },
      required: ['prompt'],
    },
    call: asks(
      (asked) => ({ answer: sample(String(asked.arguments.prompt)) }),
      ({ answer }) => `LLM response: ${sampled(answer)}`,
    ),
  },
  test_elicitation: {
    description: 'Asks the person for a name and an address.',
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', description: 'What the person reads' } },
      required: ['message'],
    },
    call: asks(
      (asked) => ({
        answer: form(String(asked.arguments.message), { username: { type: 'string' }, email: { type: 'string' } }),
      }),
      ({ answer }) => `User response: ${entered(answer)}`,
    ),
  },
  test_elicitation_sep1034_defaults: {
    description: 'Shows a form that is filled in already.',
    call: asks(
      () => ({
        answer: inputRequired.elicit({
          message: 'Is this right?',
          requestedSchema: {
            type: 'object',
            properties: {
              name: { type: 'string', default: 'John Doe' },
              age: { type: 'integer', default: 30 },
              score: { type: 'number', default: 95.5 },
              status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
              verified: { type: 'boolean', default: true },
            },
          },
        }),
      }),
      ({ answer }) => `Elicitation completed: ${entered(answer)}`,
    ),
  },
  test_elicitation_sep1330_enums: {
    description: 'Shows a form with every kind of choice.',
    call: asks(
      () => ({
        answer: inputRequired.elicit({
          message: 'Which?',
          requestedSchema: {
            type: 'object',
            properties: {
              untitledSingle: { type: 'string', enum: options },
              titledSingle: { type: 'string', oneOf: oneOf('Option') },
              legacyEnum: {
                type: 'string',
                enum: ['opt1', 'opt2', 'opt3'],
                enumNames: ['Option One', 'Option Two', 'Option Three'],
              },
              untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
              titledMulti: { type: 'array', items: { anyOf: oneOf('Choice') } },
            },
          },
        }),
      }),
      ({ answer }) => `Elicitation completed: ${entered(answer)}`,
    ),
  },
  test_missing_capability: {
    description: 'Cannot do without the model of its caller.',
    call: asks(
      () => ({ answer: sample('Say: pong', 16) }),
      ({ answer }) => sampled(answer),
    ),
  },
};
