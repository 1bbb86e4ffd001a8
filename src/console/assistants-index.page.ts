import type { AssistantsService } from '../oauth/assistants/assistants.service.js';
import { html, type PageContent, renderMarkedText } from '../platform/http/page.js';

interface AssistantsIndex {
  configurations: Awaited<ReturnType<AssistantsService['listConfigurations']>>;
  organization: string;
  person: string;
}

export const assistantsIndexPage = ({ configurations, organization, person }: AssistantsIndex): PageContent => ({
  title: 'Connect your assistant',
  headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
  body: html`<p>
      A configuration defines what your assistant can use at ${renderMarkedText(organization)}: systems, knowledge, and
      the policies that decide each tool call.
    </p>
    ${
      configurations.length
        ? configurations.map(
            ({ id, name, description }) =>
              html`<section class="sheet">
                <h2><a class="alone" href="/configurations/${id}/assistants">${renderMarkedText(name)}</a></h2>
                ${description && html`<p>${renderMarkedText(description)}</p>`}
              </section>`,
          )
        : html`<p class="sheet">
            No configurations yet. Ask an administrator to give one of your groups access to a configuration.
          </p>`
    }
    <p><a class="alone" href="/account">Your account</a></p>`,
});
