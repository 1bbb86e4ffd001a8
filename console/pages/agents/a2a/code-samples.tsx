import { Tabs } from '@mantine/core';
import { Snippet } from '../../../kit/copy.tsx';
import { Section } from '../../../kit/section.tsx';
import { curl, python, type SampleTarget, typescript } from './samples.ts';

const languages = [
  { name: 'curl', write: curl },
  { name: 'Python', write: python },
  { name: 'TypeScript', write: typescript },
];

/** Each sample reads the agent card, sends a task, and streams another one. */
export const CodeSamples = (target: SampleTarget) => (
  <Section
    title="Code samples"
    lead={
      target.apiKey
        ? 'Each sample reads the agent card, sends a task, then streams the updates of another task. The samples contain the API key while it is visible above.'
        : 'Each sample reads the agent card, sends a task, then streams the updates of another task. Show or generate an API key above, and the samples contain it.'
    }
  >
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label="Language" mb="sm">
        {languages.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {languages.map(({ name, write }) => (
        <Tabs.Panel key={name} value={name}>
          <Snippet text={write(target)} label={`${name} sample`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  </Section>
);
