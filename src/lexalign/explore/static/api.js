// Asking the server: every answer is JSON, and every refusal has a sentence.

export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.suggestions = error.suggestions;
  }
}

const UNREACHABLE = {
  code: "unreachable",
  message: "The explorer does not answer; has it been stopped?",
  suggestions: [],
};

async function answered(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, UNREACHABLE);
  }
  const content = await response.json();
  if (!response.ok) throw new Refused(response.status, content.error);
  return content;
}

/** The answer to GET /api/NAME; parameters that are null are left out. */
export function ask(name, parameters = {}, signal = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null);
  const query = new URLSearchParams(given).toString();
  return answered(`/api/${name}${query ? `?${query}` : ""}`, { signal });
}

/** The answer to POST /api/NAME. */
export function send(name, content) {
  return answered(`/api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(content),
  });
}
