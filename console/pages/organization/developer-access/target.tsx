import { Checkbox, Radio, Select, Stack } from '@mantine/core';
import { Section } from '../../../kit/section.tsx';
import { type Scope, scopeWords } from './client-fields.ts';
import type { FormPart } from './client-form.tsx';
import { useConfigurationChoices } from './use-configuration-choices.ts';

/** What it reaches, and how much of it at most. */
export function Target({ form, fault }: FormPart) {
  const { target, configurationId, scopes } = form.values;
  const configurations = useConfigurationChoices();
  return (
    <Section title="What it reaches">
      <Stack>
        <Radio.Group label="Target" required {...form.getInputProps('target')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="api"
              label="The API"
              description="Search, documents, tasks and tools of every configuration that the person may use."
            />
            <Radio
              value="mcp"
              label="A configuration over MCP"
              description="The tools of one governed configuration, for assistants."
            />
          </Stack>
        </Radio.Group>
        {target === 'mcp' && (
          <Select
            label="Configuration"
            placeholder={configurations.length ? 'Choose one' : 'There is none yet'}
            required
            searchable
            data={configurations}
            value={configurationId}
            error={fault('configurationId')}
            onChange={(id) => form.setFieldValue('configurationId', id)}
          />
        )}
        <Checkbox.Group
          label="Scopes"
          description="The most that it may ask for."
          required
          value={scopes}
          error={fault('scopes')}
          onChange={(chosen) => form.setFieldValue('scopes', chosen)}
        >
          <Stack gap="xs" mt="xs">
            {(Object.keys(scopeWords) as Scope[]).map((scope) => (
              <Checkbox key={scope} value={scope} label={scopeWords[scope].name} description={scopeWords[scope].what} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
    </Section>
  );
}
