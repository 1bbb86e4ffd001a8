import { Tabs } from '@mantine/core';
import { Snippet } from '../../../kit/copy.tsx';
import { Section } from '../../../kit/section.tsx';
import { curl, python, typescript } from './samples.ts';

const languages = [
  { name: 'curl', write: curl },
  { name: 'Python', write: python },
  { name: 'TypeScript', write: typescript },
];

/** Each sample reads the agent card, sends a task, and streams another one. */
export const CodeSamples = ({ url }: { url: string }) => (
  <Section
    title="Code samples"
    lead="Each sample reads the agent card, sends a task, then streams the updates of another task."
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
          <Snippet text={write({ url })} label={`${name} sample`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  </Section>
);
