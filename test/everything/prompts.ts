import {
  type GetPromptResult,
  inputRequired,
  type InputRequiredResult,
  type PromptArgument,
  type PromptMessage,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { png } from './media.ts';
import { answersTo, form } from './tools/asking.ts';

export interface PromptFixture {
  description: string;
  arguments?: PromptArgument[];
  get(given: Record<string, string>, context: ServerContext): GetPromptResult | InputRequiredResult;
}

const user = (content: PromptMessage['content']): PromptMessage => ({ role: 'user', content });
const words = (text: string) => user({ type: 'text', text });
export const says = (text: string): GetPromptResult => ({ messages: [words(text)] });

export const prompts: Record<string, PromptFixture> = {
  test_simple_prompt: {
    description: 'Takes no arguments.',
    get: () => says('This is a simple prompt for testing.'),
  },
  test_prompt_with_arguments: {
    description: 'Puts two arguments into its text.',
    arguments: [
      { name: 'arg1', description: 'The first', required: true },
      { name: 'arg2', description: 'The second', required: true },
    ],
    get: ({ arg1, arg2 }) => says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  },
  test_prompt_with_embedded_resource: {
    description: 'Brings a resource along.',
    arguments: [{ name: 'resourceUri', description: 'Which', required: true }],
    get: ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        words('Please process the embedded resource above.'),
      ],
    }),
  },
  test_prompt_with_image: {
    description: 'Brings a picture along.',
    get: () => ({
      messages: [user({ type: 'image', data: png, mimeType: 'image/png' }), words('Please analyze the image above.')],
    }),
  },
  test_input_required_result_prompt: {
    description: 'Asks the person before there is a text.',
    get: (_given, context) => {
      const answers = answersTo({ context }, ['user_context']);
      if (answers) return says(`Context: ${JSON.stringify(answers.user_context.content)}`);
      const question = form('What context should the prompt use?', { context: { type: 'string' } });
      return inputRequired({ inputRequests: { user_context: question } });
    },
  },
};
