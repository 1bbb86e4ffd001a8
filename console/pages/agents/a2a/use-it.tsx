import { Tabs } from '@mantine/core';
import { Snippet } from '../../../kit/copy.tsx';
import { Section } from '../../../kit/section.tsx';
import { curl, python, typescript } from './snippets.ts';

const languages = [
  { name: 'curl', write: curl },
  { name: 'Python', write: python },
  { name: 'TypeScript', write: typescript },
];

/** Each reads the card with the key, sends a task, and follows another one. */
export const UseIt = ({ url }: { url: string }) => (
  <Section
    title="Call it"
    lead="Reads the agent card with the key, hands over a task, then follows another one as it goes."
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
          <Snippet text={write({ url })} label={`With ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  </Section>
);
