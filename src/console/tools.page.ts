import type { Tool } from '../connections/tool.entity.js';
import { html, type PageContent, renderMarkedText } from '../platform/http/page.js';

interface PendingReviewPageContent {
  tools: Tool[];
  organization: string;
  person: string;
}

export const toolsPendingReviewPage = ({ tools, organization, person }: PendingReviewPageContent): PageContent => ({
  title: 'Tools pending review',
  headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
  body: html`<p>
      The definition of these tools changed after an administrator confirmed it. Calls are blocked until an
      administrator reviews the change, because language models read and follow tool definitions.
    </p>
    ${
      tools.length
        ? html`<div class="sheet">
            <ul>
              ${tools.map(
                ({ id, name, title }) =>
                  html`<li>
                    <a href="/tools/${id}"><code>${name}</code></a> ${renderMarkedText(title)}
                  </li>`,
              )}
            </ul>
          </div>`
        : html`<p class="sheet">No tools pending review.</p>`
    }
    <p><a href="/account">Your account</a></p>`,
});
