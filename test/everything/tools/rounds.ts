import { type ClientCapabilities, inputRequired, type InputRequests } from '@modelcontextprotocol/server';
import { type Fixture, text } from '../fixture.ts';
import { state } from '../state.ts';
import { answersTo, asks, entered, form, sample, sampled } from './asking.ts';

const name = { name: { type: 'string' } } as const;
const rootsOf = ({ roots }: Record<string, unknown>) => (roots as { uri: string }[]).map(({ uri }) => uri).join(', ');

/** Calls that take more than one round (revision 2026-07-28, multi round-trip requests). */
export const rounds: Record<string, Fixture> = {
  test_input_required_result_elicitation: {
    description: 'Asks the person for a name.',
    call: asks(
      () => ({ user_name: form('What is your name?', name) }),
      ({ user_name: answer }) => `Hello, ${(answer.content as { name?: string } | undefined)?.name ?? 'nobody'}!`,
    ),
  },
  test_input_required_result_sampling: {
    description: 'Asks the model for a capital.',
    call: asks(
      () => ({ capital_question: sample('What is the capital of France?') }),
      ({ capital_question: answer }) => sampled(answer),
    ),
  },
  test_input_required_result_list_roots: {
    description: 'Asks for the folders of the client.',
    call: asks(
      () => ({ client_roots: inputRequired.listRoots() }),
      ({ client_roots: answer }) => `Roots: ${rootsOf(answer)}`,
    ),
  },
  test_input_required_result_request_state: confirmed('state-ok'),
  test_input_required_result_tampered_state: confirmed('The state came back as it was sent.'),
  test_input_required_result_multiple_inputs: {
    description: 'Asks person, model and client at once.',
    call: async (asked) => {
      const answers = answersTo(asked, ['user_name', 'greeting', 'client_roots']);
      if (answers && asked.context.mcpReq.requestState() !== undefined)
        return text(`${entered(answers.user_name)} ${sampled(answers.greeting)} ${rootsOf(answers.client_roots)}`);
      return inputRequired({
        inputRequests: {
          user_name: form('What is your name?', name),
          greeting: sample('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await state.mint({ round: 1 }),
      });
    },
  },
  test_input_required_result_multi_round: {
    description: 'Asks one thing after the other.',
    call: async (asked) => {
      const { round } = asked.context.mcpReq.requestState<{ round: number }>() ?? { round: 0 };
      const answered = round > 0 && answersTo(asked, [`step${round}`]);
      const next = answered ? round + 1 : Math.max(round, 1);
      if (next === 3) return text('Both answers came.');
      const inputRequests: InputRequests =
        next === 1
          ? { step1: form('Step 1: What is your name?', name) }
          : { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) };
      return inputRequired({ inputRequests, requestState: await state.mint({ round: next }) });
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks whoever the client says that it has.',
    call: asks(
      ({ server }) => whatItHas(server.getClientCapabilities() ?? {}),
      (answers) => `Answered: ${Object.keys(answers).join(', ') || 'nobody was there to ask'}`,
    ),
  },
};

/** Asks for a yes, and takes it together with the state that it was asked with. */
function confirmed(answer: string): Fixture {
  return {
    description: 'Asks for a confirmation and keeps its state with the client.',
    call: async (asked) =>
      answersTo(asked, ['confirm']) && asked.context.mcpReq.requestState() !== undefined
        ? text(answer)
        : inputRequired({
            inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
            requestState: await state.mint({ round: 1 }),
          }),
  };
}

function whatItHas({ elicitation, sampling, roots }: ClientCapabilities): InputRequests {
  return {
    ...(elicitation && { person: form('What is your name?', name) }),
    ...(sampling && { model: sample('What is the capital of France?') }),
    ...(roots && { client: inputRequired.listRoots() }),
  };
}
