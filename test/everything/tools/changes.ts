import { type Fixture, text } from '../fixture.ts';

/** Change what there is, so that whoever listens has something to hear. */
export const changes: Record<string, Fixture> = {
  test_trigger_tool_change: {
    description: 'Puts one more tool on the list, or takes it off.',
    call: ({ shelf }) => {
      shelf.toggleTool();
      return text('The tools are others now.');
    },
  },
  test_trigger_prompt_change: {
    description: 'Puts one more prompt on the list, or takes it off.',
    call: ({ shelf }) => {
      shelf.togglePrompt();
      return text('The prompts are others now.');
    },
  },
};
