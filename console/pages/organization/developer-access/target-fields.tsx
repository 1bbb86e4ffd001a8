import { Checkbox, Radio, Select, Stack } from '@mantine/core';
import { Section } from '../../../kit/section.tsx';
import { type Scope, scopeLabels } from './client-fields.ts';
import type { ClientFormPart } from './client-values.ts';
import { useConfigurationChoices } from './use-configuration-choices.ts';

/** Target and maximum scopes. */
export function TargetFields({ form, fault }: ClientFormPart) {
  const { target, configurationId, scopes } = form.values;
  const configurations = useConfigurationChoices();
  return (
    <Section title="Access">
      <Stack>
        <Radio.Group label="Target" required {...form.getInputProps('target')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="api"
              label="The API"
              description="Search, documents, tasks, and tools of every configuration that the user may use."
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
            placeholder={configurations.length ? 'Select a configuration' : 'No configurations yet'}
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
          description="The maximum scopes that the product can request."
          required
          value={scopes}
          error={fault('scopes')}
          onChange={(chosen) => form.setFieldValue('scopes', chosen)}
        >
          <Stack gap="xs" mt="xs">
            {(Object.keys(scopeLabels) as Scope[]).map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={scopeLabels[scope].name}
                description={scopeLabels[scope].description}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
    </Section>
  );
}
