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
                "advice": { "type": "string" },
                "kind": {
                  "description": "Whose it is: a delivery's that failed for good, the disk's, a connection's, one photo's; or it has ended.",
                  "enum": ["failure", "disk", "connection", "photo", "over"]
                },
                "needsOperator": {
                  "description": "The advice is for the operator; otherwise it says why nothing has to be done.",
                  "type": "boolean"
                }
              },
              "required": ["at", "photo", "reason", "advice", "kind", "needsOperator"]
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
                "jobs": { "description": "Deliveries of its photos, to all destinations.", "$ref": "#/$defs/jobs" },
                "lastPhoto": {
                  "description": "When its latest photo was here; null before the first since the bridge began.",
                  "$ref": "#/$defs/momentOrNull"
                },
                "clockAheadSeconds": {
                  "description": "By how much its clock was ahead of this machine's local time when it was connected last; null where it does not tell.",
                  "type": ["integer", "null"]
                },
                "lastError": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/trouble" }] }
              },
              "required": ["address", "name", "state", "phase", "loss", "since", "toFetch", "jobs", "lastPhoto",
                "clockAheadSeconds", "lastError"]
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
                "edits": {
                  "description": "Captions, ratings and the like that were said here: 'tetherline sync' lists them. Null where the destination is no gallery.",
                  "type": ["object", "null"],
                  "properties": {
                    "waiting": { "description": "Not sent yet.", "$ref": "#/$defs/count" },
                    "withoutUpload": { "description": "Of these, of photos to be uploaded first.", "$ref": "#/$defs/count" },
                    "conflicts": { "description": "Not taken there.", "$ref": "#/$defs/count" }
                  },
                  "required": ["waiting", "withoutUpload", "conflicts"]
                },
                "lastError": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/trouble" }] }
              },
              "required": ["url", "kind", "jobs", "hold", "way", "slots", "rate", "drainedInSeconds", "oldest",
                "shutterToConfirmed", "edits", "lastError"]
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
                    "hold": { "description": "Why the disk takes no photos.", "type": ["string", "null"] },
                    "advice": { "description": "What helps then.", "type": ["string", "null"] }
                  },
                  "required": ["free", "total", "reserve", "photosLeft", "hold", "advice"]
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
                "underWay": {
                  "description": "Photos whose bytes move at this moment, from a camera or to a destination.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "name": { "type": "string" },
                      "capture": { "type": "integer", "minimum": 1 },
                      "from": { "description": "The camera's address.", "type": ["string", "null"] },
                      "to": { "description": "The destination's URL.", "type": ["string", "null"] },
                      "bytes": { "description": "Of the whole photo.", "type": ["integer", "null"], "minimum": 0 },
                      "done": { "$ref": "#/$defs/count" }
                    },
                    "required": ["name", "capture", "from", "to", "bytes", "done"]
                  }
                },
                "sentBytes": {
                  "description": "What has left for destinations since the bridge began.",
                  "$ref": "#/$defs/count"
                },
                "failures": {
                  "description": "Photos that failed in this run and have not come where they were to go since: the latest twenty, the newest first.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "at": { "$ref": "#/$defs/momentOrNull" },
                      "photo": { "$ref": "#/$defs/textOrNull" },
                      "capture": { "type": ["integer", "null"], "minimum": 1 },
                      "job": { "type": ["integer", "null"], "minimum": 1 },
                      "place": { "description": "The camera's address, or the destination's URL.", "type": "string" },
                      "reason": { "type": "string" },
                      "advice": { "type": "string" },
                      "kind": { "enum": ["failure", "photo"] },
                      "needsOperator": { "type": "boolean" }
                    },
                    "required": ["at", "photo", "capture", "job", "place", "reason", "advice", "kind", "needsOperator"]
                  }
                },
                "notes": { "type": "array", "items": { "type": "string" } },
                "alerts": {
                  "description": "What the operator has been called for and is not over; none when no bridge runs.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "alert": {
                        "enum": ["cameraLost", "failedJobs", "diskLow", "queueOld", "clockWrong", "nothingShot"]
                      },
                      "subject": {
                        "description": "The camera or the destination.", "$ref": "#/$defs/textOrNull"
                      },
                      "since": { "$ref": "#/$defs/moment" },
                      "text": { "type": "string" },
                      "advice": { "type": "string" }
                    },
                    "required": ["alert", "subject", "since", "text", "advice"]
                  }
                }
              },
              "required": ["at", "running", "live", "paused", "event", "window", "unattended", "photos", "jobs", "bytes",
                "cancelled", "oldest", "cameras", "destinations", "spool", "missing", "underWay", "sentBytes", "failures",
                "notes", "alerts"]
            }
          }
        }
        """#
}
