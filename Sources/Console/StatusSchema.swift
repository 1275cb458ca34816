/// What `tetherline status --json` promises, as a JSON Schema (draft 2020-12). Members are added; none changes its meaning
/// or goes. Tests hold every status to it.
package enum StatusSchema {
    package static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "tetherline status --json",
          "description": "How a bridge is. Readers ignore members that they do not know. Where there is no event yet, the value is {\"event\":null}.",
          "oneOf": [
            { "type": "object", "properties": { "event": { "type": "null" } }, "required": ["event"], "maxProperties": 1 },
            { "$ref": "#/$defs/status" }
          ],
          "$defs": {
            "count": { "type": "integer", "minimum": 0 },
            "moment": { "type": "string", "format": "date-time" },
            "momentOrNull": { "type": ["string", "null"], "format": "date-time" },
            "textOrNull": { "type": ["string", "null"] },
            "jobs": {
              "description": "Deliveries. Only what a bridge that answers is sending counts as uploading.",
              "type": "object",
              "properties": {
                "queued": { "$ref": "#/$defs/count" },
                "uploading": { "$ref": "#/$defs/count" },
                "awaiting": { "$ref": "#/$defs/count" },
                "completed": { "$ref": "#/$defs/count" },
                "failed": { "$ref": "#/$defs/count" }
              },
              "required": ["queued", "uploading", "awaiting", "completed", "failed"]
            },
            "trouble": {
              "description": "What went wrong last, and what to do.",
              "type": "object",
              "properties": {
                "at": { "$ref": "#/$defs/momentOrNull" },
                "photo": { "$ref": "#/$defs/textOrNull" },
                "reason": { "type": "string" },
                "advice": { "type": "string" }
              },
              "required": ["at", "photo", "reason", "advice"]
            },
            "waiting": {
              "description": "The photo that waits longest for a destination, and since when.",
              "type": "object",
              "properties": {
                "capture": { "type": "integer", "minimum": 1 },
                "name": { "type": "string" },
                "since": { "$ref": "#/$defs/moment" }
              },
              "required": ["capture", "name", "since"]
            },
            "camera": {
              "type": "object",
              "properties": {
                "address": { "type": "string" },
                "name": { "$ref": "#/$defs/textOrNull" },
                "state": { "description": "A sentence; null when no bridge runs.", "type": ["string", "null"] },
                "phase": {
                  "enum": ["connecting", "waitingForOK", "confirmingCode", "listing", "fetching", "idle", "suspect",
                    "busy", "held", "asleep", "lost", "ended", "new", null]
                },
                "loss": { "enum": ["lost", "unreachable", "busy", "needsPerson", "asleep", "flood", null] },
                "since": {
                  "description": "Of the phase; while it is being connected to again, of the absence.",
                  "$ref": "#/$defs/momentOrNull"
                },
                "toFetch": {
                  "description": "Photos of the event that it has shown and that are not here yet.",
                  "$ref": "#/$defs/count"
                },
                "lastError": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/trouble" }] }
              },
              "required": ["address", "name", "state", "phase", "loss", "since", "toFetch", "lastError"]
            },
            "destination": {
              "type": "object",
              "properties": {
                "url": { "type": "string" },
                "kind": { "enum": ["gallery", "direct"] },
                "jobs": { "$ref": "#/$defs/jobs" },
                "hold": {
                  "description": "Why nothing goes there; after the end of a bridge, why nothing went there.",
                  "type": ["object", "null"],
                  "properties": {
                    "cause": {
                      "description": "What the operator has to do; null for what passes by itself.",
                      "enum": ["loggedOut", "consent", "credits", "certificate", "settings", "eventExpired", null]
                    },
                    "reason": { "type": "string" },
                    "since": { "$ref": "#/$defs/momentOrNull" },
                    "advice": { "type": "string" }
                  },
                  "required": ["cause", "reason", "since", "advice"]
                },
                "way": { "description": "The network that leads there, and its limit.", "type": ["string", "null"] },
                "slots": { "description": "Uploads at a time now.", "type": ["integer", "null"], "minimum": 0 },
                "rate": {
                  "description": "Confirmed there in the last two minutes, per minute.",
                  "type": ["object", "null"],
                  "properties": {
                    "photosPerMinute": { "type": "number", "minimum": 0 },
                    "bytesPerMinute": { "$ref": "#/$defs/count" }
                  },
                  "required": ["photosPerMinute", "bytesPerMinute"]
                },
                "drainedInSeconds": {
                  "description": "Until what waits is there, at that rate; null while nothing moves or waits.",
                  "type": ["number", "null"], "minimum": 0
                },
                "oldest": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/waiting" }] },
                "shutterToConfirmed": {
                  "description": "Of the latest photos that were confirmed. The shutter is the camera's own date less what its clock was ahead of UTC; where that is not known, the moment at which the photo was first seen.",
                  "type": ["object", "null"],
                  "properties": {
                    "photos": { "type": "integer", "minimum": 1 },
                    "medianSeconds": { "type": "number", "minimum": 0 },
                    "p95Seconds": { "type": "number", "minimum": 0 },
                    "promised": { "description": "Of these, with a deadline.", "$ref": "#/$defs/count" },
                    "inTime": { "description": "Of those, confirmed by then.", "$ref": "#/$defs/count" },
                    "inTimeShare": { "type": ["number", "null"], "minimum": 0, "maximum": 1 }
                  },
                  "required": ["photos", "medianSeconds", "p95Seconds", "promised", "inTime", "inTimeShare"]
                },
                "lastError": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/trouble" }] }
              },
              "required": ["url", "kind", "jobs", "hold", "way", "slots", "rate", "drainedInSeconds", "oldest",
                "shutterToConfirmed", "lastError"]
            },
            "status": {
              "type": "object",
              "properties": {
                "at": { "$ref": "#/$defs/momentOrNull" },
                "running": { "description": "A bridge runs in this home.", "type": "boolean" },
                "live": { "description": "It has said this itself; otherwise its ledger was read.", "type": "boolean" },
                "paused": { "type": "boolean" },
                "event": {
                  "type": "object",
                  "properties": { "id": { "type": "string" }, "name": { "type": "string" } },
                  "required": ["id", "name"]
                },
                "window": {
                  "type": ["object", "null"],
                  "properties": {
                    "openedAt": { "$ref": "#/$defs/moment" }, "closedAt": { "$ref": "#/$defs/momentOrNull" }
                  },
                  "required": ["openedAt", "closedAt"]
                },
                "unattended": {
                  "description": "Photos shot while no bridge ran for long, of which nothing has been said yet.",
                  "$ref": "#/$defs/count"
                },
                "photos": {
                  "type": "object",
                  "properties": {
                    "announced": { "$ref": "#/$defs/count" },
                    "filtered": { "$ref": "#/$defs/count" },
                    "receiving": { "$ref": "#/$defs/count" },
                    "staged": { "$ref": "#/$defs/count" },
                    "duplicate": { "$ref": "#/$defs/count" },
                    "lost": { "$ref": "#/$defs/count" },
                    "abandoned": { "$ref": "#/$defs/count" }
                  },
                  "required": ["announced", "filtered", "receiving", "staged", "duplicate", "lost", "abandoned"]
                },
                "jobs": { "$ref": "#/$defs/jobs" },
                "bytes": { "description": "Of the same jobs.", "$ref": "#/$defs/jobs" },
                "cancelled": { "$ref": "#/$defs/count" },
                "oldest": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/waiting" }] },
                "cameras": { "type": "array", "items": { "$ref": "#/$defs/camera" } },
                "destinations": { "type": "array", "items": { "$ref": "#/$defs/destination" } },
                "spool": {
                  "type": ["object", "null"],
                  "properties": {
                    "free": { "$ref": "#/$defs/count" },
                    "total": { "$ref": "#/$defs/count" },
                    "reserve": { "description": "Stays free.", "type": ["integer", "null"], "minimum": 0 },
                    "photosLeft": {
                      "description": "More photos of the event's mean size that fit.",
                      "type": ["integer", "null"], "minimum": 0
                    },
                    "hold": { "description": "Why the disk takes no photos.", "type": ["string", "null"] }
                  },
                  "required": ["free", "total", "reserve", "photosLeft", "hold"]
                },
                "missing": {
                  "description": "Photos that this run has given up or lost: the first hundred.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "camera": { "type": "string" },
                      "capture": { "type": ["integer", "null"], "minimum": 1 },
                      "path": { "type": "string" },
                      "reason": { "type": "string" }
                    },
                    "required": ["camera", "capture", "path", "reason"]
                  }
                },
                "notes": { "type": "array", "items": { "type": "string" } }
              },
              "required": ["at", "running", "live", "paused", "event", "window", "unattended", "photos", "jobs", "bytes",
                "cancelled", "oldest", "cameras", "destinations", "spool", "missing", "notes"]
            }
          }
        }
        """#
}
